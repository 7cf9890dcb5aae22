import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { metricDefinitions } from "../../../runtime/metrics/definitions.ts";

const page = await readFile(new URL("../../../docs/operations/metrics.md", import.meta.url), "utf8");
/** Name, type and labels from each row of the page's tables. */
const rows = Array.from(page.matchAll(/^\| `(ashlar_\w+)` +\| (\w+) +\| ([^|]*)\|/gm), ([, name = "", type, labels = ""]) => [
  name,
  { type, labels: Array.from(labels.matchAll(/`(\w+)`/g), ([, label]) => label) },
]);

describe("docs/operations/metrics.md", () => {
  it("lists each metric once, with its type and labels", () => {
    const defined = Object.entries(metricDefinitions).map(([name, { type, labels }]) => [name, { type, labels }]);
    expect(rows).toHaveLength(defined.length);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(defined));
  });
});

describe("a metric", () => {
  it.each(Object.entries(metricDefinitions))("%s has a name with its unit, as Prometheus recommends", (name, { type, help }) => {
    expect(name).toMatch(/^ashlar(_[a-z]+)+$/);
    expect(name.endsWith("_total")).toBe(type === "counter");
    if (type === "histogram") expect(name).toMatch(/_(seconds|blocks)$/);
    expect(help).toMatch(/^[A-Z].*\.$/);
  });
});
