import type { Address } from "../../lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Call, Stage } from "../story/types.ts";
import { farDeadline, type Pool } from "./exchange-terms.ts";
import type { People } from "./people.ts";

/** A token's going rate in millionths of a dollar for a whole one. */
export interface Rate {
  readonly unit: bigint;
  readonly price: bigint;
}

/** What the world outside the chain pays for each token; it wanders by up to four percent a day. */
export interface Market {
  rate(token: Address): Rate;
  wander(): void;
  /** The market maker's swaps that bring each pool half-way or more to the outside rates, so that pools agree with each other. */
  correct(): Promise<readonly Call[]>;
}

const dailyThousandths = 40;
/** Differences below a 500th of the pool are not worth a transaction. */
const leastDifference = 500n;

/** A market with opening rates, kept by the market maker. */
export const createMarket = (
  stage: Stage,
  people: People,
  router: Address,
  pools: readonly Pool[],
  opening: ReadonlyMap<Address, Rate>,
): Market => {
  const random = stage.random("market");
  const rates = new Map(opening);
  const { artifacts } = stage;
  const maker = people.marketMaker;
  const rate = (token: Address): Rate => rates.get(token) ?? { unit: 1n, price: 0n };

  const correctPool = async ({ pair, tokens }: Pool): Promise<Call[]> => {
    const [first, second] = await stage.read<readonly [bigint, bigint, number]>(pair, artifacts.pair.abi, "getReserves");
    const ordered = [...tokens].sort() as [Address, Address];
    const values = [first, second].map((reserve, index) => {
      const { unit, price } = rate(ordered[index] as Address);
      return (reserve * price) / unit;
    });
    const [left = 0n, right = 0n] = values;
    const missing = left < right ? ordered[0] : ordered[1];
    const plentiful = left < right ? ordered[1] : ordered[0];
    const difference = left < right ? right - left : left - right;
    if (difference * leastDifference < left) return [];
    const { unit, price } = rate(missing);
    const wanted = ((difference / 2n) * unit) / price;
    const held = await stage.read<bigint>(missing, artifacts.presetToken.abi, "balanceOf", [maker]);
    // Up to four pools draw on one purse in a day.
    const amount = wanted < held / 5n ? wanted : held / 5n;
    const data = encode(artifacts.router.abi, "swapExactTokensForTokens", [amount, 0n, [missing, plentiful], maker, farDeadline]);
    return [{ from: maker, to: router, data }];
  };
  return {
    rate,
    wander: () => {
      for (const [token, { unit, price }] of rates) {
        // The dollar stays a dollar.
        if (price === 1_000_000n) continue;
        const factor = BigInt(1000 + random.between(-dailyThousandths, dailyThousandths));
        rates.set(token, { unit, price: (price * factor) / 1000n });
      }
    },
    correct: async () => {
      const calls: Call[] = [];
      for (const pool of pools) calls.push(...(await correctPool(pool)));
      return calls;
    },
  };
};
