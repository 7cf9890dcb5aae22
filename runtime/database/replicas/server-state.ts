import type { Queryable } from "../database.ts";

/** The version of a chain's content that a server has replayed (see domains/ledger/queries/progress.ts). */
export interface ReplayedContent {
  readonly version: number;
  /** Unix milliseconds. */
  readonly changedAt: number;
}

/** A server's reported state. */
export interface ServerState {
  /** Identifies the database and its cluster; equal on physical replicas. */
  readonly identity: string;
  /** The age of the last replayed transaction, or 0 on a primary or if all received ones are replayed. */
  readonly lagSeconds: number;
  /** By chain. */
  readonly contents: ReadonlyMap<number, ReplayedContent>;
}

interface StateRow {
  readonly identity: string;
  readonly lag: number;
  readonly chain_ids: readonly number[];
  readonly versions: readonly number[];
  readonly changed: readonly number[];
}

/** A statement has one snapshot, so all contents are from the same time. Any role may call these functions. */
const selectState = `SELECT (SELECT system_identifier::text FROM pg_control_system())
    || '/' || (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS identity,
  CASE WHEN NOT pg_is_in_recovery() OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
    ELSE coalesce(greatest(0, extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())), 0) END::float8 AS lag,
  coalesce(array_agg(chain_id ORDER BY chain_id), '{}') AS chain_ids,
  coalesce(array_agg(version ORDER BY chain_id), '{}') AS versions,
  coalesce(array_agg(changed ORDER BY chain_id), '{}') AS changed
  FROM (
    SELECT chain_id, sum(version)::int8 AS version, floor(extract(epoch FROM max(changed_at)) * 1000)::int8 AS changed FROM content_versions GROUP BY chain_id
  ) contents`;

/** Reads a server's state; scans content_versions, which has a few rows per chain. */
export async function readServerState({ query }: Pick<Queryable, "query">): Promise<ServerState> {
  const [row] = await query<StateRow>(selectState);
  if (row === undefined) throw new Error("unreachable: the statement returns one row");
  const contents = row.chain_ids.map((chainId, index) => {
    const [version = 0, changedAt = 0] = [row.versions[index], row.changed[index]];
    return [chainId, { version, changedAt }] as const;
  });
  return { identity: row.identity, lagSeconds: row.lag, contents: new Map(contents) };
}
