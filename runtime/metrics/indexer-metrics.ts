import { createIndexerCounts, type IndexerCounts } from "../indexer/counts.ts";
import { histogramMetric, type Metric, metric } from "./metric.ts";
import { createProcessMetrics } from "./process-metrics.ts";
import { type Pools, poolMetrics } from "./server-metrics.ts";

/** The metrics of an indexing process. */
export interface IndexerMetrics {
  /** A chain's counts. */
  countsOf(chain: string): IndexerCounts;
  collect(): Promise<readonly Metric[]>;
}

/** Creates the metrics for an indexing process. */
export function createIndexerMetrics(process: string, pools: Pools): IndexerMetrics {
  const counts = new Map<string, IndexerCounts>();
  const collectProcess = createProcessMetrics(process);
  return {
    countsOf(chain) {
      const countsOfChain = counts.get(chain) ?? createIndexerCounts();
      counts.set(chain, countsOfChain);
      return countsOfChain;
    },
    collect: async () => [...metricsOf([...counts]), ...poolMetrics(process, pools), ...(await collectProcess())],
  };
}

function metricsOf(counts: readonly (readonly [chain: string, counts: IndexerCounts])[]): Metric[] {
  const perChain = <Value>(value: (counts: IndexerCounts) => Value) => counts.map(([chain, count]) => [{ chain }, value(count)] as const);
  return [
    metric(
      "ashlar_indexer_blocks_total",
      perChain(({ blocks }) => blocks),
    ),
    metric(
      "ashlar_indexer_transactions_total",
      perChain(({ transactions }) => transactions),
    ),
    metric(
      "ashlar_indexer_rows_total",
      perChain(({ rows }) => rows),
    ),
    histogramMetric(
      "ashlar_indexer_reorganisation_depth_blocks",
      perChain(({ reorganisations }) => reorganisations),
    ),
    metric(
      "ashlar_node_requests_total",
      perChain(({ requests }) => requests),
    ),
    metric(
      "ashlar_node_calls_total",
      perChain(({ calls }) => calls),
    ),
    metric(
      "ashlar_node_failures_total",
      counts.flatMap(([chain, { failures }]) => Object.entries(failures).map(([kind, count]) => [{ chain, kind }, count] as const)),
    ),
  ];
}
