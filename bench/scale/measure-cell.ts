import type { LoadResult } from "../serve/load/main.ts";
import type { ServerProcess } from "../serve/processes.ts";
import type { RowCase } from "../serve/row-case.ts";
import { runLoad } from "../serve/run-load.ts";
import { cpuMillisecondsOfChildren, cpuMillisecondsOfFamily, growthOf } from "../support/cpu-time.ts";
import { residentMegabytesOf } from "../support/resident-memory.ts";
import { readStatementCounts, shareOnReplicas } from "./statement-counts.ts";

/** CPU milliseconds per request, by role; null if the system does not report them. */
export interface CpuByRole {
  /** All processes of the server. */
  readonly server: number | null;
  readonly primary: number | null;
  /** All replicas that the server uses, together. */
  readonly replicas: number | null;
  /** The database server of the second chain. */
  readonly shard: number | null;
}

/** The figures of one row on a server with a given number of processes, replicas and shards. */
export interface ScaleCell extends LoadResult {
  readonly perSecond: number;
  readonly cpu: CpuByRole;
  /** The share of response statements that ran on replicas, including the warm-up; null if there were none. */
  readonly replicaShare: number | null;
  /** The resident memory of all server processes when the measured time ends; null if the system does not report it. */
  readonly megabytes: number | null;
}

/** The measured server and its database processes. */
export interface MeasuredServer {
  readonly server: ServerProcess;
  readonly metricsPort: number;
  /** The postmaster process ids (the parents of all backends): the primary's, those of the replicas that the server uses, and the second shard's. */
  readonly postmasters: { readonly primary: number; readonly replicas: readonly number[]; readonly shard: number | null };
}

/** The load of a cell. */
export interface ScaleLoad {
  readonly script: URL;
  readonly keys: readonly string[];
  readonly connections: number;
  readonly milliseconds: number;
  readonly warmUpMilliseconds: number;
}

/** Measures a server under the requests of a row. */
export async function measureScaleCell(
  { server, metricsPort, postmasters }: MeasuredServer,
  { paths }: RowCase,
  { script, ...load }: ScaleLoad,
): Promise<ScaleCell> {
  const countsBefore = await readStatementCounts(metricsPort);
  const { result, before, after } = await runLoad(script, { port: server.port, paths, minWarmUpResponses: paths.length, ...load }, () => ({
    server: cpuMillisecondsOfFamily(server.id),
    primary: cpuMillisecondsOfChildren(postmasters.primary),
    replicas: postmasters.replicas.map(cpuMillisecondsOfChildren),
    shard: postmasters.shard === null ? null : cpuMillisecondsOfChildren(postmasters.shard),
    megabytes: residentMegabytesOf(server.id),
  }));
  const perRequest = (milliseconds: number | null): number | null => (milliseconds === null ? null : milliseconds / result.requests);
  const ofDatabase = (earlier: ReadonlyMap<number, number> | null, later: ReadonlyMap<number, number> | null): number | null =>
    earlier === null || later === null ? null : growthOf(earlier, later);
  const ofReplicas = after.replicas.map((later, index) => ofDatabase(before.replicas[index] ?? null, later));
  return {
    ...result,
    perSecond: (result.requests / result.milliseconds) * 1000,
    cpu: {
      server: before.server === null || after.server === null ? null : perRequest(after.server - before.server),
      primary: perRequest(ofDatabase(before.primary, after.primary)),
      shard: perRequest(ofDatabase(before.shard, after.shard)),
      replicas: perRequest(ofReplicas.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0)),
    },
    replicaShare: shareOnReplicas(countsBefore, await readStatementCounts(metricsPort)),
    megabytes: after.megabytes,
  };
}
