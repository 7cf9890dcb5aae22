import type { Config } from "../config/config.ts";
import { createDatabaseNameOfChain } from "../config/database-config.ts";
import { readIndexStates } from "../domains/chains/queries/index-state.ts";
import type { Pools } from "../metrics/server-metrics.ts";
import type { Metrics } from "../metrics/start-metrics.ts";
import { lastAudits } from "../operator/last-audit.ts";
import { CommandError } from "./command-error.ts";
import { urlOf } from "./listening.ts";
import type { ServiceDatabases } from "./open-database.ts";
import type { OpenShard } from "./shard-pools.ts";

/** A process's pools, by their names in metrics. */
export const poolsOf = ({
  serving,
  control,
  indexing,
  reader,
  shards,
}: Pick<ServiceDatabases, "serving" | "control" | "indexing" | "reader" | "shards">): Pools => ({
  serving,
  control,
  indexing,
  community: reader,
  ...Object.fromEntries(
    shards.flatMap((shard) => [...Object.entries(servingPoolsOf(shard)), [`indexing of ${shard.name}`, shard.indexing] as const]),
  ),
});

/** The serving pools of one of the configured `databases`, by their names in metrics. */
export const servingPoolsOf = ({ name, serving, control, reader }: Pick<OpenShard, "name" | "serving" | "control" | "reader">): Pools => ({
  [`serving of ${name}`]: serving,
  [`control of ${name}`]: control,
  [`community of ${name}`]: reader,
});

/** Starts serving metrics, and prints their URL; undefined if they are not configured. @throws {CommandError} if they cannot listen on their address */
export async function openMetrics(
  config: Pick<Config, "metrics" | "databaseUrl" | "dataDirectory" | "chains">,
  { control, shards }: Pick<ServiceDatabases, "control" | "shards">,
  print: (line: string) => void,
): Promise<Metrics | undefined> {
  const { metrics, databaseUrl, dataDirectory } = config;
  if (metrics === undefined) return undefined;
  // A process without metrics does not load their modules.
  const { startMetrics } = await import("../metrics/start-metrics.ts");
  const started = await startMetrics(metrics).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      `Cannot serve metrics on ${metrics.host}:${metrics.port} (${error.code ?? "unknown reason"}); choose a different address with METRICS_HOST=… and METRICS_PORT=….`,
    );
  });
  const databaseNameOf = createDatabaseNameOfChain(config);
  started.addIndex(async () => {
    const stores = [{ name: null, query: control.query }, ...shards.map((shard) => ({ name: shard.name, query: shard.control.query }))];
    const state = await readIndexStates(stores, databaseNameOf);
    const names = state.chains.map(({ name }) => name);
    return { ...state, audits: await lastAudits(control, names) };
  });
  if (databaseUrl === undefined) started.addDataDirectory(dataDirectory);
  print(`Metrics: ${urlOf(started.address)}/metrics`);
  return started;
}
