import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKeys } from "../../../runtime/http/keys.ts";
import { attributesOf, type CollectedSpan, startTraceCollector, type TraceCollector } from "../../support/trace-collector.ts";
import { blockPath, type IndexedBlock, indexBlock } from "./indexed-block.ts";
import { request } from "./load.ts";

const route = "/v1/{chainName}/block_v2/{blockHeight}/";
let indexed: IndexedBlock;
let collector: TraceCollector;
let key: string;

beforeAll(async () => {
  [indexed, collector] = await Promise.all([indexBlock(), startTraceCollector()]);
  ({ key } = await createKeys(indexed.testDatabase.database).create({ label: "tracing" }));
});
afterAll(async () => {
  await collector?.close();
  await indexed?.remove();
});

/** The modules that a server has loaded when it exits. */
async function modulesOf(name: string, settings: object, work: (url: string) => Promise<void>): Promise<string[]> {
  const folder = join(indexed.folder, name);
  await mkdir(folder);
  const server = await indexed.serve(settings, { environment: { NODE_V8_COVERAGE: folder } });
  await work(server.url);
  await server.stop();
  const reports = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), "utf8")));
  return reports.flatMap((report) => (JSON.parse(report) as { result: { url: string }[] }).result.map(({ url }) => url));
}
const isTracingModule = (url: string): boolean => url.includes("@opentelemetry");

describe("a server's traces", () => {
  it("have a span per request and per statement, without the request's URL and key", async () => {
    const account = "0x00000000000000000000000000000000000000ff";
    const modules = await modulesOf("traced", { tracing: { endpoint: collector.endpoint, sampleRatio: 1 } }, async (url) => {
      expect(await request(url + blockPath, key)).toMatchObject({ status: 200 });
      expect((await fetch(`${url}${blockPath}?key=${key}`)).status).toBe(200);
      expect(await request(`${url}/v1/own/address/${account}/balances_v2/`, key)).toMatchObject({ status: 200 });
      expect(await request(`${url}/v1/own/address/${account}/no_such_path/`, key)).toMatchObject({ status: 404 });
    });
    expect(modules.some(isTracingModule)).toBe(true);
    expect([...collector.processes]).toEqual(["server"]);
    const { spans } = collector;
    const requests = spans.filter(({ kind }) => kind === 2);
    expect(requests.map(({ name }) => name).sort()).toEqual(
      [`GET ${route}`, `GET ${route}`, "GET /v1/{chainName}/address/{walletAddress}/balances_v2/", "GET"].sort(),
    );
    const [computed, cached] = requests.filter(({ name }) => name === `GET ${route}`) as [CollectedSpan, CollectedSpan];
    expect(attributesOf(computed)).toMatchObject({
      "http.request.method": "GET",
      "http.route": route,
      "http.response.status_code": 200,
      "ashlar.operation": "getBlock",
      "ashlar.cache": "MISS",
      "ashlar.key_id": 1,
    });
    expect(attributesOf(cached)).toMatchObject({ "ashlar.cache": "HIT" });
    const statements = spans.filter(({ parentSpanId }) => parentSpanId === computed.spanId);
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      expect(statement).toMatchObject({ traceId: computed.traceId, kind: 3, name: "SELECT" });
      expect(attributesOf(statement)).toMatchObject({ "db.system.name": "postgresql", "db.query.text": expect.stringContaining("$1") });
      expect(BigInt(statement.startTimeUnixNano) >= BigInt(computed.startTimeUnixNano)).toBe(true);
      expect(BigInt(statement.endTimeUnixNano) <= BigInt(computed.endTimeUnixNano)).toBe(true);
    }
    // A cached response needs no statement.
    expect(spans.filter(({ traceId }) => traceId === cached.traceId)).toHaveLength(1);
    for (const secret of [key, key.slice("ckey_".length), account.slice(2), "key="]) expect(collector.text()).not.toContain(secret);
  });

  it("are not exported by default, and their modules are not loaded", async () => {
    const before = collector.spans.length;
    const modules = await modulesOf("untraced", {}, async (url) => {
      expect(await request(url + blockPath, key)).toMatchObject({ status: 200 });
    });
    expect(modules.length).toBeGreaterThan(10);
    expect(modules.filter(isTracingModule)).toEqual([]);
    expect(collector.spans.length).toBe(before);
  });

  it("are exported by workers", async () => {
    const settings = { tracing: { endpoint: collector.endpoint, sampleRatio: 1 } };
    const server = await indexed.serve(settings, { args: ["--workers", "2"] });
    const before = collector.spans.length;
    await Promise.all(Array.from({ length: 8 }, () => request(server.url + blockPath, key)));
    await server.stop();
    expect(collector.spans.slice(before).filter(({ kind }) => kind === 2)).toHaveLength(8);
    expect([...collector.processes].filter((process) => process !== "server").length).toBeGreaterThan(0);
  });

  it("do not affect a server whose collector fails", async () => {
    collector.status = 400;
    const server = await indexed.serve({ tracing: { endpoint: collector.endpoint, sampleRatio: 1 } });
    expect(await request(server.url + blockPath, key)).toMatchObject({ status: 200 });
    await server.stop();
    collector.status = 200;
    expect(await server.exited).toBe(0);
    expect(server.output()).toContain("Exporting traces failed");
  });
});
