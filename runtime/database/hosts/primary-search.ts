import pg from "pg";
import { nullOnAbort } from "../../lib/async.ts";
import { DatabaseUnavailable } from "../errors.ts";
import type { Servers } from "./servers-of.ts";

/** A server's address. */
export interface ServerAddress {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

/** A server's role, as the server reports it. */
interface ServerRole {
  readonly isStandby: boolean;
  /** Identifies the cluster; equal on physical replicas. */
  readonly cluster: string;
  /** Rises with each promotion; 0 on a standby. */
  readonly timeline: number;
}

/** Finds the primary of several servers. */
export interface PrimarySearch {
  /** Finds the primary; queries all servers, at most once a second. @throws {Error} if none is. */
  find(): Promise<ServerAddress>;
  /** Checks that a new connection leads to the primary. @throws {DatabaseUnavailable} */
  check(client: pg.Client): Promise<void>;
  /** Forgets which server is the primary, because it does not accept a connection. */
  forget(): void;
}

/** How long a server may take to accept a connection, and then to respond. */
const probeMilliseconds = 3_000;
/** How long other servers may take to respond once a primary has: one with a newer timeline is its successor. */
const successorMilliseconds = 300;
/** How long a search result is used: connections that are opened concurrently share it, and a server may be replaced at any time. */
const foundMilliseconds = 1_000;
/** How long the error of a failed search is used. */
const failureMilliseconds = 200;

/** Any role may call these functions. The first 8 digits of a WAL file name are the timeline. */
const selectRole = `SELECT pg_is_in_recovery() AS "isStandby", (SELECT system_identifier::text FROM pg_control_system()) AS cluster,
  CASE WHEN pg_is_in_recovery() THEN 0 ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int4 END AS timeline`;

const readRole = async (client: pg.Client): Promise<ServerRole> => {
  const { rows } = await client.query<ServerRole>(selectRole);
  const [role] = rows;
  if (role === undefined) throw new Error("unreachable: the statement returns one row");
  return role;
};

async function probe(url: string): Promise<ServerRole> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "ashlar-probe",
    connectionTimeoutMillis: probeMilliseconds,
    query_timeout: probeMilliseconds,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await readRole(client);
  } finally {
    void client.end().catch(() => undefined);
  }
}

/**
 * Creates the search for the primary. After a failover, a former primary that is started again accepts writes like its successor, but has an older timeline.
 * It is not used if its successor responds, or has been used before; `timelines` has each cluster's newest known timeline.
 */
export function createPrimarySearch({ urls }: Pick<Servers, "urls">, timelines: Map<string, number>): PrimarySearch {
  const servers = urls.map((url): ServerAddress => {
    const { host, port } = new pg.Client({ connectionString: url });
    return { url, host, port };
  });
  const [first, ...others] = servers;
  let searching: Promise<ServerAddress> | undefined;
  /** The role of the primary that the last search found. */
  let foundRole: ServerRole | undefined;
  const isPrimary = ({ isStandby, cluster, timeline }: ServerRole): boolean => !isStandby && timeline >= (timelines.get(cluster) ?? 0);

  const search = async (): Promise<ServerAddress> => {
    const primaries: { readonly server: ServerAddress; readonly role: ServerRole }[] = [];
    const errors: unknown[] = [];
    const stopped = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const probes = servers.map(async (server) => {
      try {
        const role = await probe(server.url);
        if (!isPrimary(role)) return;
        primaries.push({ server, role });
        timer ??= setTimeout(() => stopped.abort(), successorMilliseconds);
      } catch (error) {
        errors.push(error);
      }
    });
    await nullOnAbort(Promise.all(probes), stopped.signal);
    clearTimeout(timer);
    const [found] = primaries.sort((left, right) => right.role.timeline - left.role.timeline);
    if (found !== undefined) {
      foundRole = found.role;
      timelines.set(found.role.cluster, found.role.timeline);
      return found.server;
    }
    throw errors.length === servers.length ? errors[0] : noPrimary();
  };
  const forget = (started: Promise<ServerAddress>): void => {
    if (searching === started) searching = undefined;
  };
  const forgetAfter = (milliseconds: number, started: Promise<ServerAddress>): void => {
    setTimeout(forget, milliseconds, started).unref();
  };
  return {
    find() {
      // A single server is not probed: the connection to it is checked anyway.
      if (first !== undefined && others.length === 0) return Promise.resolve(first);
      // A search for other servers, or another connection, may have found its successor in the meantime.
      if (searching !== undefined && (foundRole === undefined || isPrimary(foundRole))) return searching;
      foundRole = undefined;
      const started = search();
      searching = started;
      started.then(
        () => forgetAfter(foundMilliseconds, started),
        () => forgetAfter(failureMilliseconds, started),
      );
      return started;
    },
    async check(client) {
      const role = await readRole(client);
      if (!isPrimary(role)) throw noPrimary();
      timelines.set(role.cluster, role.timeline);
    },
    forget() {
      searching = undefined;
    },
  };
}

const noPrimary = (): DatabaseUnavailable => new DatabaseUnavailable("25006", "none of its servers is the primary");
