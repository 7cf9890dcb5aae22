import type { Database } from "../database/database.ts";

/** Connections to keys, health and readiness: few, because their statements are short. */
export const controlConnections = 2;
/** Connections of the role of community endpoints: few, because declared SQL may not occupy the server. */
export const readerConnections = 8;
/** Connections for indexing besides the one per chain that its leader, or the process waiting to take over, holds. */
const sharedIndexingConnections = 4;
/** Connections that LISTEN, and those of migrations. */
const singleConnections = 2;
/** Left to the operator's tools, to backups and to the start of a second process. */
const reservedShare = 0.1;
const connectionsPerCpu = 4;
const minConnections = 4;

/** A pool may have half as many connections more for statements that are planned once (see DatabaseOptions.poolSize). */
const sharePerConnection = 1.5;
const withLookups = (connections: number): number => Math.ceil(connections * sharePerConnection);

export const indexingConnections = (chains: number): number => sharedIndexingConnections + Math.max(1, chains);

/** What the size of the pool for answers follows from. */
export interface Capacity {
  /** The connections that the server accepts from this role. */
  readonly maxConnections: number;
  readonly cpus: number;
  readonly chains: number;
}

/**
 * The connections for answers, of all processes of a server: four per CPU core, but no more than the database has left besides the other pools and a tenth in
 * reserve; at least four.
 */
export function servingConnections({ maxConnections, cpus, chains }: Capacity): number {
  const others = withLookups(readerConnections) + withLookups(controlConnections) + singleConnections;
  const left = maxConnections * (1 - reservedShare) - withLookups(indexingConnections(chains)) - others;
  const affordable = Math.floor(left / sharePerConnection);
  return Math.max(minConnections, Math.min(connectionsPerCpu * cpus, affordable));
}

/** The connections that the server accepts from this role: those of the server without the reserved ones, or those of the role or the database. */
export async function maxConnectionsOf({ query }: Pick<Database, "query">): Promise<number> {
  const [row] = await query<{ max: number }>(
    `SELECT least(
         current_setting('max_connections')::int4 - current_setting('superuser_reserved_connections')::int4
           - coalesce(current_setting('reserved_connections', true), '0')::int4,
         (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
         (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS max`,
  );
  return row?.max ?? minConnections;
}
