import type { PricesConfig } from "../../../config/prices.ts";
import { type Decimal, decimal } from "../../../lib/decimal.ts";
import type { Address } from "../../../lib/hex.ts";
import type { FeedObservation } from "./observations.ts";

/** A configured price feed. */
export type Feed = PricesConfig["feeds"][number];

/** The latest answers of price feeds. */
export interface FeedAnswers {
  observe(observation: FeedObservation): void;
  /** One unit of the feed's subject in the currency of its answers; null if no positive answer is recent enough. */
  latest(feed: Feed, time: number): Decimal | null;
  /** The first time after `time` at which a feed's latest answer becomes too old. */
  nextExpiry(time: number): number;
}

/** The answers of a chain's configured feeds. */
export function createFeedAnswers(feeds: readonly Feed[]): FeedAnswers {
  const answers = new Map<Address, FeedObservation>();
  return {
    observe: (observation) => void answers.set(observation.feed, observation),
    latest: ({ aggregators, decimals, maxAgeSeconds }, time) => {
      const observations = aggregators.flatMap((aggregator) => answers.get(aggregator) ?? []);
      const newest = observations.reduce<FeedObservation | null>(
        (best, observation) => (best === null || observation.time >= best.time ? observation : best),
        null,
      );
      if (newest === null || newest.answer <= 0n || time - newest.time > maxAgeSeconds) return null;
      return decimal(newest.answer, decimals);
    },
    nextExpiry: (time) => {
      const expiries = feeds.flatMap(({ aggregators, maxAgeSeconds }) =>
        aggregators.flatMap((aggregator) => {
          const observation = answers.get(aggregator);
          return observation === undefined ? [] : [observation.time + maxAgeSeconds + 1];
        }),
      );
      return Math.min(...expiries.filter((expiry) => expiry > time), Number.POSITIVE_INFINITY);
    },
  };
}
