import { collectDefaultMetrics, Registry } from "prom-client";
import type { Metric } from "./metric.ts";

/** Creates Node.js and operating system metrics for this process: CPU time, memory, garbage collection, event loop delay. */
export function createProcessMetrics(process: string): () => Promise<readonly Metric[]> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, labels: { process } });
  return async () => {
    const metrics = await registry.getMetricsAsJSON();
    // By default, prom-client omits some metrics when it combines processes, because it does not expect a label that distinguishes the processes.
    return metrics.map(({ name, help, values, type }) => ({ name, help, type: String(type), values, aggregator: "sum" }));
  };
}
