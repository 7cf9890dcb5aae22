import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { metricDefinitions } from "../../../runtime/metrics/definitions.ts";
import { histogramMetric, type Metric } from "../../../runtime/metrics/metric.ts";
import { createMetricSources } from "../../../runtime/metrics/sources.ts";

const folder = fileURLToPath(new URL("../../../deploy/prometheus/", import.meta.url));
const isInstalled = spawnSync("promtool", ["--version"]).error === undefined;
const promtool = (args: readonly string[], input = "") => {
  const { status, stdout, stderr } = spawnSync("promtool", [...args], { cwd: folder, input, encoding: "utf8" });
  return { status, output: stdout + stderr };
};

// Debian's package prometheus includes promtool.
describe.skipIf(!isInstalled)("promtool", () => {
  it("accepts the rules", () => {
    const { status, output } = promtool(["check", "rules", "ashlar.rules.yaml"]);
    expect(output).toContain("SUCCESS");
    expect(status).toBe(0);
  });

  it("confirms that the rules pass their tests", () => {
    const { status, output } = promtool(["test", "rules", "ashlar.rules.test.yaml"]);
    expect(output).toContain("SUCCESS");
    expect(status).toBe(0);
  });

  it("reports no problem with the metrics' names, types and help texts", async () => {
    const sources = createMetricSources();
    const sample = "ashlar_http_request_duration_seconds";
    const metrics = Object.entries(metricDefinitions)
      .filter(([name]) => name !== "ashlar_metrics_source_up")
      .map(([name, { type, help }]): Metric => {
        const histogram = { bounds: [1], counts: [2, 3], sum: 9 };
        const { values } = histogramMetric(sample, [[{ operation: "a", status: 200 }, histogram]]);
        const named = values.map((value) => ({ ...value, metricName: value.metricName?.replace(sample, name) ?? name }));
        return { name, type, help, aggregator: "sum", values: type === "histogram" ? named : [{ labels: {}, value: 1 }] };
      });
    sources.add({ name: "test", collect: async () => metrics });
    expect(promtool(["check", "metrics"], await sources.render())).toEqual({ status: 0, output: "" });
  });
});
