import { describe, expect, it } from "vitest";
import type { Metric } from "../../../runtime/metrics/metric.ts";
import { createRestartedSource } from "../../../runtime/metrics/restarted-source.ts";
import { createMetricSources, type MetricSource } from "../../../runtime/metrics/sources.ts";

const metric = (name: string, type: string, value: number, labels = {}): Metric => ({
  name,
  type,
  help: "A test.",
  aggregator: "sum",
  values: [{ value, labels }],
});
/** The samples of a scrape, by series. */
async function scrape(...sources: MetricSource[]): Promise<Record<string, number>> {
  const all = createMetricSources();
  for (const source of sources) all.add(source);
  const lines = (await all.render()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]));
}

describe("the metrics of a restarted process", () => {
  const requests = "ashlar_requests_total";

  it("continue from the exited process's counters, so their sum is not reset", async () => {
    let counted = 7;
    const source = createRestartedSource("worker 1", async () => [metric(requests, "counter", counted)]);
    const other: MetricSource = { name: "worker 2", collect: async () => [metric(requests, "counter", 100)] };
    expect(await scrape(source, other)).toMatchObject({ [requests]: 107 });
    for (const total of [110, 113]) {
      source.recordExit();
      counted = 3;
      expect(await scrape(source, other)).toMatchObject({ [requests]: total });
    }
  });

  it("keep the last scrape's counters while the process does not respond, but not gauges or Node.js metrics", async () => {
    let responds = true;
    const source = createRestartedSource("worker 1", async () => {
      if (!responds) throw new Error("The process has exited.");
      return [
        metric(requests, "counter", 5),
        metric("ashlar_waiting", "gauge", 2),
        metric("process_cpu_seconds_total", "counter", 9, { process: "worker 1" }),
      ];
    });
    const up = 'ashlar_metrics_source_up{source="worker 1"}';
    expect(await scrape(source)).toEqual({
      [requests]: 5,
      ashlar_waiting: 2,
      'process_cpu_seconds_total{process="worker 1"}': 9,
      [up]: 1,
    });
    responds = false;
    expect(await scrape(source)).toEqual({ [requests]: 5, [up]: 0 });
  });
});
