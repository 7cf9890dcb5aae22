import { statfs } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import type { MetricsSettings } from "../config/metrics.ts";
import type { RequestCounts } from "../http/request-counts.ts";
import { type IndexStatus, indexMetrics } from "./index-metrics.ts";
import { createIndexerMetrics, type IndexerMetrics } from "./indexer-metrics.ts";
import { openMetricsListener } from "./listener.ts";
import { type Metric, metric } from "./metric.ts";
import { createProcessMetrics } from "./process-metrics.ts";
import { createRestartedSource, type RestartedSource } from "./restarted-source.ts";
import { createServerMetrics, type Pools, poolMetrics, type ReplicasByDatabase } from "./server-metrics.ts";
import { createMetricSources } from "./sources.ts";

/** A service's metrics, and the listener that serves them. */
export interface Metrics {
  readonly address: AddressInfo;
  /** Adds this process, which serves requests, and returns their counts. */
  addServer(process: string, pools: Pools, replicas?: ReplicasByDatabase): RequestCounts;
  /** Adds this process, which does not serve requests. */
  addProcess(process: string, pools: Pools): void;
  /** Adds a child process that is restarted when it exits. */
  addChild(process: string, read: () => Promise<readonly Metric[]>): RestartedSource;
  /** Adds this process, which indexes, and returns its counts by chain. */
  addIndexer(process: string, pools: Pools): IndexerMetrics["countsOf"];
  /** Adds the index state. */
  addIndex(read: () => Promise<IndexStatus>): void;
  /** Adds the size and free space of the data directory's file system. */
  addDataDirectory(path: string): void;
  close(): void;
}

/** Starts serving metrics. @throws {Error} if it cannot listen on its address */
export async function startMetrics({ host, port, bearerToken }: MetricsSettings): Promise<Metrics> {
  const sources = createMetricSources();
  const listener = await openMetricsListener({ host, port, bearerToken, render: sources.render });
  return {
    ...listener,
    addServer(process, pools, replicas) {
      const { counts, collect } = createServerMetrics(process, pools, replicas);
      sources.add({ name: process, collect });
      return counts;
    },
    addProcess(process, pools) {
      const collect = createProcessMetrics(process);
      sources.add({ name: process, collect: async () => [...poolMetrics(process, pools), ...(await collect())] });
    },
    addIndexer(process, pools) {
      const { countsOf, collect } = createIndexerMetrics(process, pools);
      sources.add({ name: process, collect });
      return countsOf;
    },
    addIndex: (read) => sources.add({ name: "index", collect: async () => indexMetrics(await read(), new Date()) }),
    addDataDirectory: (path) =>
      sources.add({
        name: "data directory",
        async collect() {
          const { bavail, blocks, bsize } = await statfs(path);
          return [
            metric("ashlar_data_directory_free_bytes", [[{}, bavail * bsize]]),
            metric("ashlar_data_directory_size_bytes", [[{}, blocks * bsize]]),
          ];
        },
      }),
    addChild(process, read) {
      const source = createRestartedSource(process, read);
      sources.add(source);
      return source;
    },
  };
}
