import { cpuMillisecondsOfChildren, cpuMillisecondsOfFamily, growthOf } from "../support/cpu-time.ts";
import type { LoadArgument, LoadResult } from "./load/main.ts";
import type { ServerProcess } from "./processes.ts";
import type { RowCase } from "./row-case.ts";
import { runLoad } from "./run-load.ts";

/** The figures of one server under one load. CPU milliseconds are per request; null if the system does not report them. */
export interface Cell extends LoadResult {
  readonly perSecond: number;
  readonly serverCpu: number | null;
  readonly databaseCpu: number | null;
}

/** The options that all cells share. */
export interface LoadOptions {
  readonly script: URL;
  readonly keys: readonly string[];
  readonly milliseconds: number;
  readonly warmUpMilliseconds: number;
  /** The parent process of the database's backends. */
  readonly postmasterPid: number;
}

/** The request options in which cells differ. */
export type Requests = Pick<LoadArgument, "acceptEncoding" | "minWarmUpResponses" | "bodies">;

export const connectionsPerKey = 4;

/** Measures a server under the requests of a row. */
export async function measureCell(
  server: ServerProcess,
  { paths }: Pick<RowCase, "paths">,
  connections: number,
  { script, keys, milliseconds, warmUpMilliseconds, postmasterPid }: LoadOptions,
  requests: Requests = {},
): Promise<Cell> {
  const used = keys.slice(0, Math.max(1, Math.ceil(connections / connectionsPerKey)));
  const { result, before, after } = await runLoad(
    script,
    { port: server.port, connections, paths, keys: used, warmUpMilliseconds, milliseconds, ...requests },
    () => ({ server: cpuMillisecondsOfFamily(server.id), database: cpuMillisecondsOfChildren(postmasterPid) }),
  );
  const serverCpu = before.server === null || after.server === null ? null : after.server - before.server;
  const databaseCpu = before.database === null || after.database === null ? null : growthOf(before.database, after.database);
  return {
    ...result,
    perSecond: (result.requests / result.milliseconds) * 1000,
    serverCpu: serverCpu === null ? null : serverCpu / result.requests,
    databaseCpu: databaseCpu === null ? null : databaseCpu / result.requests,
  };
}

/** The CPU milliseconds of server and database per request; null if the system does not report them. */
export const bothCpu = ({ serverCpu, databaseCpu }: Cell): number | null =>
  serverCpu === null || databaseCpu === null ? null : serverCpu + databaseCpu;
