import type { Address } from "../../runtime/lib/hex.ts";
import type { ChapterContext } from "../story/types.ts";

/** A token's market price in millionths of a dollar per whole token. */
export interface Rate {
  readonly unit: bigint;
  readonly price: bigint;
}

/** The off-chain market price of each token, a random walk of up to four percent a day. */
export interface Market {
  rate(token: Address): Rate;
  /** Adds a token after the opening. */
  list(token: Address, rate: Rate): void;
  wander(): void;
}

const dailyThousandths = 40;

/** A market with opening rates. */
export const createMarket = (stage: ChapterContext, opening: ReadonlyMap<Address, Rate>): Market => {
  const random = stage.random("market");
  const rates = new Map(opening);
  return {
    rate: (token) => rates.get(token) ?? { unit: 1n, price: 0n },
    list: (token, rate) => {
      rates.set(token, rate);
    },
    wander: () => {
      for (const [token, { unit, price }] of rates) {
        // The dollar stays a dollar.
        if (price === 1_000_000n) continue;
        const factor = BigInt(1000 + random.between(-dailyThousandths, dailyThousandths));
        rates.set(token, { unit, price: (price * factor) / 1000n });
      }
    },
  };
};
