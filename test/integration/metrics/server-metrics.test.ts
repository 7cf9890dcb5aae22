import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createServer } from "../../../runtime/http/server.ts";
import { type Metrics, startMetrics } from "../../../runtime/metrics/start-metrics.ts";
import { parseScrape, type Sample, scrape, sumOf } from "../../support/scrape.ts";
import { until } from "../../support/until.ts";
import { type Harness, startHarness } from "../http/harness.ts";

const duration = "ashlar_http_request_duration_seconds";
let metrics: Metrics;
let app: Harness;

beforeAll(async () => {
  metrics = await startMetrics({ host: "127.0.0.1", port: 0 });
  const pools: Record<string, Harness["testDatabase"]["database"]> = {};
  const counts = metrics.addServer("server", pools);
  app = await startHarness({ getAllChains: async () => ({ items: [] }), getLogs: async () => ({ items: [] }) }, { counts });
  pools.control = app.testDatabase.database;
});
afterAll(async () => {
  metrics.close();
  await app.end();
});

const samples = async (): Promise<readonly Sample[]> => parseScrape(await scrape(`http://127.0.0.1:${metrics.address.port}/metrics`));

describe("server metrics", () => {
  it("count requests by operation and status, credits, cache results and bytes", async () => {
    const before = await samples();
    const { text } = await app.get("/v1/chains/");
    await app.withoutKey().get("/v1/chains/");
    await app.get("/v1/chains/?format=xml");
    const after = await samples();
    const increase = (name: string, labels = {}): number => sumOf(after, name, labels) - sumOf(before, name, labels);
    expect(increase(`${duration}_count`, { operation: "getAllChains", status: "200" })).toBe(1);
    expect(increase(`${duration}_count`, { operation: "getAllChains", status: "401" })).toBe(1);
    expect(increase(`${duration}_count`, { operation: "getAllChains", status: "400" })).toBe(1);
    expect(increase(`${duration}_bucket`, { operation: "getAllChains", status: "200", le: "+Inf" })).toBe(1);
    // According to the catalog, a call costs 0.01 credits.
    expect(increase("ashlar_http_credits_total", { operation: "getAllChains" })).toBeCloseTo(0.01, 10);
    expect(increase("ashlar_http_sent_bytes_total")).toBeGreaterThan(text.length);
    expect(increase("ashlar_http_received_bytes_total")).toBeGreaterThan("GET /v1/chains/ HTTP/1.1".length);
    expect(increase("ashlar_http_cache_requests_total")).toBe(1);
    expect(increase("ashlar_database_statement_duration_seconds_count", { pool: "control" })).toBeGreaterThan(0);
  });

  it("have no labels from requests, so a hostile client cannot create new series", async () => {
    await samples();
    // Metrics of Node.js have a series for each kind of resource that the process currently uses.
    const series = async (): Promise<Set<string>> =>
      new Set((await samples()).flatMap(({ name, labels }) => (name.startsWith("ashlar_") ? `${name} ${JSON.stringify(labels)}` : [])));
    const sendHostileRequests = (batch: number) =>
      Promise.all(
        Array.from({ length: 40 }, (_, index) => `${batch}-${index}`).flatMap((text) => [
          app.withoutKey().get(`/v1/x${text}/"\n}/`.replace("\n", "%0a")),
          app.withoutKey().get(`/${text}`),
          app.get(`/v1/chains/?${text}=${text}`),
          app.withoutKey().post(`/v1/${text}`),
        ]),
      );
    await sendHostileRequests(1);
    const before = await series();
    await sendHostileRequests(2);
    expect(await series()).toEqual(before);
    const operations = new Set((await samples()).flatMap(({ labels: { operation } }) => operation ?? []));
    expect(operations).toEqual(new Set(["getAllChains", "none"]));
  });

  it("contain neither keys nor paths", async () => {
    await app.withoutKey().get(`/v1/chains/?key=${app.key}`);
    const text = await scrape(`http://127.0.0.1:${metrics.address.port}/metrics`);
    expect(text).not.toContain("ckey_");
    expect(text).not.toContain("/v1/");
  });
});

describe("a request that exceeds a limit", () => {
  let limited: Harness | undefined;
  afterEach(() => limited?.end());

  it("is counted with the limit as a label", async () => {
    limited = await startHarness(
      { getAllChains: async () => ({ items: [] }) },
      { counts: metrics.addServer("limited", {}), limits: { requestsPerSecond: 1, burstRequests: 0 } },
    );
    const { key } = await limited.keys.create({ label: "limited" });
    const before = sumOf(await samples(), "ashlar_http_limited_requests_total", { limit: "requestsPerSecond" });
    const statuses: number[] = [];
    const { listener } = limited;
    const server = createServer(listener);
    const { port } = await server.listen(0, "127.0.0.1");
    for (let count = 0; count < 30; count += 1)
      statuses.push((await fetch(`http://127.0.0.1:${port}/v1/chains/`, { headers: { authorization: `Bearer ${key}` } })).status);
    await server.stop();
    const rejected = statuses.filter((status) => status === 429).length;
    expect(rejected).toBeGreaterThan(0);
    await until("the rejected requests to be counted", async () => {
      const after = sumOf(await samples(), "ashlar_http_limited_requests_total", { limit: "requestsPerSecond" });
      return after - before === rejected;
    });
  });
});
