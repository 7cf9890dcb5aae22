import { type DatabaseNameOfChain, isStoredIn } from "../../../config/database-config.ts";
import type { Queryable } from "../../../database/database.ts";
import { isUnavailable } from "../../../database/errors.ts";

/** The indexing progress of a chain. */
export interface IndexedChainRow {
  readonly name: string;
  /** The last indexed block; null if there is none. */
  readonly block: number | null;
  /** The time of this block, in unix seconds. */
  readonly timestamp: number | null;
  /** The head of the node as last observed. */
  readonly node_block: number | null;
  /** The time since the indexer last made progress; null if it never did. */
  readonly silent_seconds: number | null;
  readonly is_stopped: boolean;
  /** When an operator paused its indexing; null if it is not paused. */
  readonly paused_at: Date | null;
  /** When deletion of its rows started; null if they are not being deleted. */
  readonly removal_started_at: Date | null;
  /** When its restore from a snapshot started; null if it is not being restored. */
  readonly restore_started_at: Date | null;
}

/** The progress of a projection. */
export interface CheckpointRow {
  readonly name: string;
  readonly projection: string;
  readonly block_number: number;
  readonly has_failed: boolean;
}

/** The entries of a chain's queue. */
export interface QueueRow {
  readonly name: string;
  readonly queue: string;
  /** Counted up to `maxEntries`. */
  readonly entries: number;
  /** Counted entries whose last attempt failed or is running. */
  readonly attempted: number;
  /** Seconds since the first counted entry became due; 0 if none is due. */
  readonly overdue_seconds: number;
}

/** The part of the index that a metrics scrape reads. */
export interface IndexState {
  readonly chains: readonly IndexedChainRow[];
  readonly checkpoints: readonly CheckpointRow[];
  readonly queues: readonly QueueRow[];
}

/** Limits the cost of a scrape when a backlog has millions of entries. */
const maxEntries = 100_000;

/** Reads the state of the index for metrics. Served by the primary keys; a queue is scanned up to a limit. */
export async function readIndexState({ query }: Pick<Queryable, "query">): Promise<IndexState> {
  const [chains, checkpoints, queues] = await Promise.all([
    query<IndexedChainRow>(
      `SELECT c.name, h.number AS block, h.timestamp, c.latest_block AS node_block,
         extract(epoch FROM clock_timestamp() - b.alive_at)::float8 AS silent_seconds, coalesce(b.is_stopped, false) AS is_stopped, c.paused_at, c.removal_started_at,
         r.started_at AS restore_started_at
       FROM chains c LEFT JOIN indexer_heartbeats b USING (chain_id) LEFT JOIN chain_restores r USING (chain_id) LEFT JOIN LATERAL (
         (SELECT number, timestamp FROM blocks WHERE chain_id = c.chain_id ORDER BY number DESC LIMIT 1) UNION ALL
         (SELECT number, timestamp FROM bitcoin_blocks WHERE chain_id = c.chain_id ORDER BY number DESC LIMIT 1) LIMIT 1) h ON true
       ORDER BY c.chain_id`,
    ),
    query<CheckpointRow>(
      `SELECT c.name, p.projection, p.block_number, p.failure IS NOT NULL AS has_failed
       FROM chains c JOIN projection_checkpoints p USING (chain_id) ORDER BY p.chain_id, p.projection`,
    ),
    query<QueueRow>(
      `SELECT c.name, q.queue, q.entries, q.attempted, q.overdue_seconds FROM chains c CROSS JOIN LATERAL (
         SELECT 'contract-reads' AS queue, count(*) AS entries, count(*) FILTER (WHERE attempts > 0) AS attempted, greatest(0, extract(epoch FROM clock_timestamp() - min(run_after)))::float8 AS overdue_seconds
           FROM (SELECT run_after, attempts FROM node_reads WHERE chain_id = c.chain_id LIMIT $1) AS e UNION ALL
         SELECT 'nft-metadata', count(*), count(*) FILTER (WHERE attempts > 0), greatest(0, extract(epoch FROM clock_timestamp() - min(run_after)))::float8
           FROM (SELECT run_after, attempts FROM nft_reads WHERE chain_id = c.chain_id LIMIT $1) AS e) q ORDER BY c.chain_id, q.queue`,
      [maxEntries],
    ),
  ]);
  return { chains, checkpoints, queues };
}

/** One of several databases. The name of the control database is null. */
export interface NamedDatabase extends Pick<Queryable, "query"> {
  readonly name: string | null;
}

/** The state of several databases. */
export interface IndexStates extends IndexState {
  /** The names of the databases that do not respond, whose chains are missing. */
  readonly unavailableDatabases: readonly string[];
}

/**
 * Reads the states of several databases, each without chains that are configured for another database. @throws {Error} if the control database does
 * not respond.
 */
export async function readIndexStates(databases: readonly NamedDatabase[], databaseOf: DatabaseNameOfChain): Promise<IndexStates> {
  const unavailableDatabases: string[] = [];
  const states = await Promise.all(
    databases.map(async ({ query, name }) => {
      const state = await readIndexState({ query }).catch((error: unknown) => {
        if (name === null || !isUnavailable(error)) throw error;
        unavailableDatabases.push(name);
        return { chains: [], checkpoints: [], queues: [] };
      });
      const isHere = ({ name: chain }: { readonly name: string }): boolean => isStoredIn(name, databaseOf(chain));
      return {
        chains: state.chains.filter(isHere),
        checkpoints: state.checkpoints.filter(isHere),
        queues: state.queues.filter(isHere),
      };
    }),
  );
  return {
    chains: states.flatMap(({ chains }) => chains),
    checkpoints: states.flatMap(({ checkpoints }) => checkpoints),
    queues: states.flatMap(({ queues }) => queues),
    unavailableDatabases: unavailableDatabases.sort(),
  };
}
