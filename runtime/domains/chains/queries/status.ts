import type { Database } from "../../../database/database.ts";

/** The state of a chain's node as last observed, and the progress of its index. */
export interface NodeRow {
  readonly chain_id: number;
  readonly offers: readonly string[] | null;
  readonly batch_size: number | null;
  readonly traces_by: string | null;
  readonly seen_at: Date | null;
  readonly latest_timestamp: number | null;
  /** When an operator paused its indexing; null if it is not paused. */
  readonly paused_at: Date | null;
  readonly building: readonly string[];
  readonly switched_off: readonly { readonly projection: string; readonly reason: string }[];
}

/** The last report of a chain's indexer. */
export interface HeartbeatRow {
  readonly chain_id: number;
  /** The time since it last made progress, by the database's clock; null if it never did. */
  readonly silent_seconds: number | null;
  readonly failure: string | null;
  /** Whether its loop has ended and has not been restarted. */
  readonly is_stopped: boolean;
}

/** Queries for the state of indexed chains. */
export function createStatusQueries({ query }: Pick<Database, "query">) {
  /**
   * Returns one row per indexed chain. `building` lists the projections that are behind the ledger, `switched_off` those that failed. Reads one row per chain
   * and projection, by the primary keys.
   */
  const nodes = () =>
    query<NodeRow>(
      `SELECT c.chain_id, c.offers, c.batch_size, c.traces_by, c.seen_at, c.latest_timestamp, c.paused_at, ARRAY(
         SELECT p.projection FROM projection_checkpoints p WHERE p.chain_id = c.chain_id AND p.block_number <
           (SELECT max(o.block_number) FROM projection_checkpoints o WHERE o.chain_id = c.chain_id) AND p.failure IS NULL ORDER BY p.projection) AS building,
         (SELECT coalesce(json_agg(json_build_object('projection', p.projection, 'reason', p.failure) ORDER BY p.projection), '[]')
           FROM projection_checkpoints p WHERE p.chain_id = c.chain_id AND p.failure IS NOT NULL) AS switched_off
       FROM chains c`,
      [],
    );

  /** One row for each chain that has been indexed since migration 0042. Served by the primary key. */
  const heartbeats = () =>
    query<HeartbeatRow>(
      `SELECT chain_id, extract(epoch FROM clock_timestamp() - alive_at)::float8 AS silent_seconds, failure, is_stopped FROM indexer_heartbeats`,
      [],
    );

  return { nodes, heartbeats };
}
