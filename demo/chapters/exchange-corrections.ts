import type { Address } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Call, ChapterContext } from "../story/types.ts";
import type { Market } from "./exchange-prices.ts";
import { farDeadline, type Pool } from "./exchange-types.ts";

/** Differences below a 500th of the pool are not worth a transaction. */
const minDifference = 500n;

/** The market maker that corrects pools, and its limits. */
export interface Correcting {
  readonly maker: Address;
  readonly router: Address;
  /** The router's function; the one for tokens with a transfer fee supports the others too. */
  readonly functionName: "swapExactTokensForTokens" | "swapExactTokensForTokensSupportingFeeOnTransferTokens";
  /** A pool gets at most this part of the maker's purse, on which all pools draw in a day. */
  readonly purseParts: bigint;
}

/** A market maker's swaps that bring each pool half-way or more to the outside rates, so that pools agree with each other. */
export const createCorrections = (
  stage: ChapterContext,
  market: Market,
  { maker, router, functionName, purseParts }: Correcting,
): ((pools: readonly Pool[]) => Promise<readonly Call[]>) => {
  const { artifacts } = stage;
  const correctPool = async ({ pair, tokens }: Pool): Promise<Call[]> => {
    const [first, second] = await stage.read<readonly [bigint, bigint, number]>(pair, artifacts.pair.abi, "getReserves");
    const ordered = [...tokens].sort() as [Address, Address];
    const values = [first, second].map((reserve, index) => {
      const { unit, price } = market.rate(ordered[index] as Address);
      return (reserve * price) / unit;
    });
    const [left = 0n, right = 0n] = values;
    const missing = left < right ? ordered[0] : ordered[1];
    const plentiful = left < right ? ordered[1] : ordered[0];
    const difference = left < right ? right - left : left - right;
    if (difference * minDifference < left) return [];
    const { unit, price } = market.rate(missing);
    const wanted = ((difference / 2n) * unit) / price;
    const held = await stage.read<bigint>(missing, artifacts.presetToken.abi, "balanceOf", [maker]);
    const amount = wanted < held / purseParts ? wanted : held / purseParts;
    if (amount === 0n) return [];
    const data = encode(artifacts.router.abi, functionName, [amount, 0n, [missing, plentiful], maker, farDeadline]);
    return [{ from: maker, to: router, data }];
  };
  return async (pools) => {
    const calls: Call[] = [];
    for (const pool of pools) calls.push(...(await correctPool(pool)));
    return calls;
  };
};
