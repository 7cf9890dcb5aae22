import type { Decimal } from "../../../lib/decimal.ts";
import type { Address } from "../../../lib/hex.ts";
import { createEdgeIndex } from "./edge-index.ts";
import type { PoolObservation, PricedPool } from "./observations.ts";
import {
  createPoolHistory,
  emptySummary,
  isUnchangedSince,
  type LpTokenBacking,
  type PoolHistory,
  recordObservation,
  summarize,
  trimHistory,
} from "./pool-history.ts";
import type { Edge, Edges } from "./routes.ts";

/** A price is a time-weighted median over this many seconds. */
export const secondsPerBucket = 900;

/** A pool of a configured exchange. */
export interface Market {
  readonly history: PoolHistory;
  readonly edge: Edge;
  /** The last computed price of the LP token, with its inputs. */
  lastLpTokenRate: { readonly backing: LpTokenBacking; readonly rates: readonly [Decimal, Decimal]; readonly rate: Decimal } | null;
}

/** The pools of a price model. */
export interface Markets {
  readonly edges: Edges;
  get(pool: Address): Market | undefined;
  add(pool: PricedPool): void;
  observe(observation: PoolObservation): void;
  /** Whether any pool changed in the last closed bucket or since. */
  hasRecentChanges(): boolean;
  /** Updates the summaries of recently changed pools to the bucket that ends at a time. */
  summarize(time: number): void;
  /** Drops the states that no bucket after a time needs. */
  trim(time: number): void;
}

/** A chain's markets, with the addresses of wrapped native tokens replaced by the native token's. */
export function createMarkets(liquidityFloor: number, priceAddressOf: (token: Address) => Address): Markets {
  const markets = new Map<Address, Market>();
  const edges = createEdgeIndex(liquidityFloor);
  const recentlyChanged = new Set<Market>();
  return {
    edges,
    get: (pool) => markets.get(pool),
    add: (pool) => {
      const tokens = [priceAddressOf(pool.token0), priceAddressOf(pool.token1)] as const;
      const edge: Edge = { pool: pool.pool, tokens, summary: emptySummary };
      markets.set(pool.pool, { history: createPoolHistory(pool), edge, lastLpTokenRate: null });
      edges.add(edge);
    },
    observe: (observation) => {
      const market = markets.get(observation.pool);
      if (market === undefined) return;
      recordObservation(market.history, observation);
      recentlyChanged.add(market);
    },
    hasRecentChanges: () => recentlyChanged.size > 0,
    summarize: (time) => {
      for (const { edge, history } of recentlyChanged) {
        edge.summary = summarize(history, time - secondsPerBucket, time);
        edges.update(edge);
      }
    },
    trim: (time) => {
      const from = time - secondsPerBucket;
      for (const market of recentlyChanged) {
        trimHistory(market.history, from);
        if (isUnchangedSince(market.history, from)) recentlyChanged.delete(market);
      }
    },
  };
}
