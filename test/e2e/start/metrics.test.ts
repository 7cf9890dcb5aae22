import { beforeAll, describe, expect, it } from "vitest";
import { metricDefinitions } from "../../../runtime/metrics/definitions.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { namedMetrics } from "../../support/named-metrics.ts";
import { program } from "../../support/program.ts";
import { parseScrape, scrape, sumOf, typesOf } from "../../support/scrape.ts";
import { until } from "../../support/until.ts";
import { prepareData, startService } from "./service-process.ts";

let chain: TestChain;
beforeAll(prepareData);
beforeAll(async () => {
  chain = await startTestChain();
  await chain.mine();
  return () => chain.stop();
});

describe("a scrape of ashlar start", () => {
  it("has metrics for all of its processes, the index and the data directory", async () => {
    const environment = { METRICS_PORT: "0", METRICS_TOKEN: "only-for-this-test-0" };
    const service = await startService(chain.url, { parameters: [program, "start", "--workers", "1"], environment });
    const url = /Metrics: (http:\S+)/.exec(service.output())?.[1] ?? "";
    expect((await fetch(url)).status).toBe(401);
    const text = (): Promise<string> => scrape(url, { Authorization: `Bearer ${environment.METRICS_TOKEN}` });
    const first = await text();
    // Every documented metric, because this service serves, indexes and owns its database.
    expect([...typesOf(first).keys()].filter((name) => name.startsWith("ashlar_")).sort()).toEqual(Object.keys(metricDefinitions).sort());
    const samples = parseScrape(first);
    const up = samples.filter(({ name }) => name === "ashlar_metrics_source_up").map(({ labels, value }) => [labels.source, value]);
    expect(Object.fromEntries(up)).toEqual({ supervisor: 1, server: 1, indexer: 1, index: 1, "data directory": 1 });
    const started = samples.filter(({ name }) => name === "process_start_time_seconds").map(({ labels }) => labels.process);
    expect(started.sort()).toEqual(["indexer", "server", "supervisor"]);
    // Blocks 0 and 1.
    expect(sumOf(samples, "ashlar_indexer_blocks_total", { chain: "own" })).toBe(2);
    expect(sumOf(samples, "ashlar_node_requests_total", { chain: "own" })).toBeGreaterThan(0);
    // A counter without an increment has no series yet.
    const series = new Set([...samples.map(({ name }) => name), ...typesOf(first).keys()]);
    for (const { file, names } of await namedMetrics()) {
      expect(names.length).toBeGreaterThan(10);
      expect(names.filter((name) => !series.has(name)).map((name) => `${file}: ${name}`)).toEqual([]);
    }
    await chain.mine();
    await until("the new block to be counted", async () => {
      const found = parseScrape(await text());
      return sumOf(found, "ashlar_indexer_blocks_total") === 3 && sumOf(found, "ashlar_index_block", { chain: "own" }) === 2;
    });
  });
});
