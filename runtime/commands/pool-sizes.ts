import type { Database } from "../database/database.ts";
import { pluralize } from "../lib/pluralize.ts";
import { CommandError } from "./command-error.ts";

/** The sizes of a process's pools (see DatabaseOptions.poolSize); 0 for a pool that it does not have. */
export interface PoolSizes {
  /** For request statements. */
  readonly serving: number;
  /** For keys, health and readiness. */
  readonly control: number;
  /** For the reader role. */
  readonly reader: number;
  readonly indexing: number;
}

/** The pool sizes of all of a service's processes. */
export interface ConnectionPlan {
  /** The process that opens the database. */
  readonly owner: PoolSizes;
  readonly worker: PoolSizes;
  readonly indexer: PoolSizes;
  /** Max connections that all processes open together. */
  readonly total: number;
}

/** The child processes of the process that opened the database. */
export interface ChildProcessCounts {
  /** 0 if the process that opens the database serves or indexes itself. */
  readonly workerCount: number;
  readonly indexerCount: number;
}

/** The inputs from which pool sizes are computed. */
export interface Capacity extends ChildProcessCounts {
  /** The connections that the server accepts from this role. */
  readonly maxConnections: number;
  readonly cores: number;
  readonly chainCount: number;
}

const connectionsPerCore = 4;
/** With fewer serving connections, a process would handle its requests one after another. */
const minServing = 2;
/** The connection that migrations open. */
const migrationConnections = 1;
/** Each serving process's connection for notifications. */
const notificationConnections = 1;
/** The pools of a process whose child processes serve: it counts charges, checks the reader role and prepares the database. */
const primary: PoolSizes = { serving: 2, control: 1, reader: 1, indexing: 2 };
const noPools: PoolSizes = { serving: 0, control: 0, reader: 0, indexing: 0 };

/**
 * The sizes of all pools except the serving pools, in order of preference. `share` is the share of the server's connections that the service may use:
 * the rest is left to the operator's tools, backups and starting a second process. The community endpoints' role gets few, because declared SQL must
 * not occupy the server. An indexing pool gets `indexing` connections plus one per chain, held by the chain's leader or by the process waiting to take over.
 */
const levels = [
  { share: 0.9, control: 2, readers: 8, indexing: 4 },
  { share: 0.9, control: 1, readers: 1, indexing: 2 },
  { share: 1, control: 1, readers: 1, indexing: 2 },
] as const;
type Level = (typeof levels)[number];

/** In addition to its size, a pool opens half as many connections for statements that are planned once. */
const openedConnections = (size: number): number => size + Math.ceil(size / 2);
const openedBy = ({ serving, control, reader, indexing }: PoolSizes): number =>
  [serving, control, reader, indexing].reduce((sum, size) => sum + openedConnections(size), 0);
/** The largest pool size that opens at most this many connections. */
const affordable = (connections: number): number => Math.max(0, Math.floor((connections * 2) / 3));

/** A service's connections, given each serving process's pool size. */
function planAt(
  { workerCount, indexerCount, chainCount }: Capacity,
  { control, readers, indexing }: Level,
  serving: number,
): ConnectionPlan {
  const servers = Math.max(1, workerCount);
  const server: PoolSizes = { serving, control, reader: Math.max(1, Math.floor(readers / servers)), indexing: 0 };
  const indexer: PoolSizes = { ...noPools, indexing: indexing + Math.max(1, chainCount) };
  const owner = workerCount > 0 ? primary : { ...server, indexing: indexer.indexing };
  const total =
    openedBy(owner) +
    workerCount * openedBy(server) +
    indexerCount * openedBy(indexer) +
    servers * notificationConnections +
    migrationConnections;
  return { owner, worker: workerCount > 0 ? server : noPools, indexer: indexerCount > 0 ? indexer : noPools, total };
}

/**
 * Divides the connections that the server accepts among the pools of all of a service's processes. Serving pools get four connections per core in
 * total, or fewer if the other pools leave fewer, but at least two each.
 * @throws {CommandError} if there are too few.
 */
export function planConnections(capacity: Capacity): ConnectionPlan {
  const { maxConnections, cores, workerCount, indexerCount } = capacity;
  const servers = Math.max(1, workerCount);
  const wanted = Math.max(minServing, Math.ceil((connectionsPerCore * cores) / servers));
  for (const level of levels) {
    const left = Math.floor(maxConnections * level.share) - planAt(capacity, level, 0).total;
    const serving = Math.min(wanted, affordable(Math.floor(left / servers)));
    if (serving >= minServing) return planAt(capacity, level, serving);
  }
  const needed = Math.min(...levels.map((level) => planAt(capacity, level, minServing).total));
  const remedy = workerCount > 1 ? ", or configure fewer workers" : "";
  throw new CommandError(
    `The database accepts ${maxConnections} connections, but ${nameOf(capacity)} need${workerCount > 0 || indexerCount > 0 ? "" : "s"} at least ${needed}: raise max_connections, or the connection limit of the role or the database${remedy}.`,
  );
}

const nameOf = ({ workerCount, indexerCount }: ChildProcessCounts): string => {
  const parts = [
    "this process",
    ...(workerCount > 0 ? [pluralize(workerCount, "worker")] : []),
    ...(indexerCount > 0 ? ["the indexer"] : []),
  ];
  return parts.length === 1 ? "this process" : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
};

/** How many connections the server accepts from this role: the server's limit less reserved ones, or a lower limit on the role or database. */
export async function readMaxConnections({ query }: Pick<Database, "query">): Promise<number> {
  const [row] = await query<{ max: number }>(
    `SELECT least(
         current_setting('max_connections')::int4 - current_setting('superuser_reserved_connections')::int4
           - coalesce(current_setting('reserved_connections', true), '0')::int4,
         (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
         (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS max`,
  );
  if (row === undefined) throw new Error("unreachable: the statement returns one row");
  return row.max;
}
