import type { Metric, MetricValue } from "./metric.ts";
import type { MetricSource } from "./sources.ts";

/** A process that is restarted when it exits. Its counters continue where those of the exited process ended, as if it were one process. */
export interface RestartedSource extends MetricSource {
  /** Records that the process has exited. Its counts after the last scrape are lost. */
  recordExit(): void;
}

/** Creates a metrics source for a process that is restarted when it exits. */
export function createRestartedSource(name: string, read: () => Promise<readonly Metric[]>): RestartedSource {
  let ended: readonly Metric[] = [];
  let last: readonly Metric[] = [];
  return {
    name,
    async collect() {
      last = await read();
      return [...ended, ...last];
    },
    fallback: () => [...ended, ...countersOf(last)],
    recordExit() {
      ended = sumOf([...ended, ...countersOf(last)]);
      last = [];
    },
  };
}

/** Ashlar's counters and histograms; the metrics of Node.js apply to a single process. */
const countersOf = (metrics: readonly Metric[]): readonly Metric[] =>
  metrics.filter(({ name, type }) => name.startsWith("ashlar_") && type !== "gauge");

/** Each metric once, with the sums of values with equal labels. */
function sumOf(metrics: readonly Metric[]): readonly Metric[] {
  const sums = new Map<string, { readonly metric: Metric; readonly values: Map<string, MetricValue> }>();
  for (const metric of metrics) {
    const { values } = sums.get(metric.name) ?? { values: new Map<string, MetricValue>() };
    for (const added of metric.values) {
      const key = JSON.stringify([added.metricName, added.labels]);
      values.set(key, { ...added, value: added.value + (values.get(key)?.value ?? 0) });
    }
    sums.set(metric.name, { metric, values });
  }
  return [...sums.values()].map(({ metric, values }) => ({ ...metric, values: [...values.values()] }));
}
