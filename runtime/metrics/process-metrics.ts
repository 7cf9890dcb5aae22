import { collectDefaultMetrics, Registry } from "prom-client";
import type { Metric } from "./metric.ts";

/** Creates Node.js and operating system metrics for this process: CPU time, memory, garbage collection, event loop delay. */
export function createProcessMetrics(process: string): () => Promise<readonly Metric[]> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, labels: { process } });
  return async () => {
    const metrics = await registry.getMetricsAsJSON();
    // prom-client omits some of them when it combines processes, because it does not expect a label that distinguishes them.
    return metrics.map(({ name, help, values, type }) => ({ name, help, type: String(type), values, aggregator: "sum" }));
  };
}
