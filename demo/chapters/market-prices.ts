import type { Address } from "../../runtime/lib/hex.ts";
import type { StoryContext } from "../story/types.ts";

/** A token's market price. */
export interface Rate {
  /** The number of smallest units in a whole token. */
  readonly unit: bigint;
  /** Millionths of a dollar per whole token. */
  readonly price: bigint;
}

/** The off-chain market price of each token: a random walk of up to four percent a day. */
export interface MarketPrices {
  /** The current rate of a token; its price is 0 for an unknown token. */
  rate(token: Address): Rate;
  /** Adds a token. */
  add(token: Address, rate: Rate): void;
  nextDay(): void;
}

const dailyThousandths = 40;

/** Creates market prices from initial rates. */
export const createMarketPrices = (context: StoryContext, initial: ReadonlyMap<Address, Rate>): MarketPrices => {
  const random = context.createRandom("market");
  const rates = new Map(initial);
  return {
    rate: (token) => rates.get(token) ?? { unit: 1n, price: 0n },
    add: (token, rate) => {
      rates.set(token, rate);
    },
    nextDay: () => {
      for (const [token, { unit, price }] of rates) {
        // The dollar token keeps its price.
        if (price === 1_000_000n) continue;
        const factor = BigInt(1000 + random.between(-dailyThousandths, dailyThousandths));
        rates.set(token, { unit, price: (price * factor) / 1000n });
      }
    },
  };
};
