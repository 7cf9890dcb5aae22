import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { RequestError } from "../../../runtime/lib/request-error.ts";
import { until } from "../../support/until.ts";
import { type Harness, startHarness } from "./harness.ts";

let app: Harness;
let count = 0;
let failure: Error | null = null;
const items = Array.from({ length: 100 }, (_, height) => ({ height, block_hash: `0x${"ab".repeat(32)}` }));

const settings = { limits: { requestsPerSecond: 1000 } };
beforeAll(async () => {
  app = await startHarness(
    {
      getBlockHeights: async (_request, { absoluteUrl, contentTime, pinAnchor }) => {
        count += 1;
        if (failure !== null) throw failure;
        pinAnchor(90);
        return {
          updated_at: contentTime().toISOString(),
          count,
          items,
          links: { next: absoluteUrl("/v1/next/") },
          pagination: { has_more: true },
        };
      },
      getGasPrices: async (_request, { markVolatile }) => {
        markVolatile();
        return { count: ++count, items: [] };
      },
      getAllChains: async () => ({ count: ++count, items: [] }),
    },
    settings,
  );
  app.content = { id: "1", changedAt: new Date("2026-01-01T00:00:00Z") };
});
afterAll(() => app.end());
afterEach(() => {
  failure = null;
});

/** Sends a request with a fixed host, because the test client uses a new port for each request. */
const get = (requested: string) => app.get(requested).set("Host", "test.example");
const path = (day: string) => `/v1/demo/block_v2/2026-01-01/2026-01-${day}/`;
const changingHeaders = ["x-cache", "x-request-id", "date", "ratelimit-remaining", "ratelimit-reset"];
const stable = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !changingHeaders.includes(name)));
/** The number of charged responses for the operation. */
const charges = async () => {
  const [row] = await app.testDatabase.database.query<{ calls: number }>(
    "SELECT calls FROM credit_usage WHERE operation = 'getBlockHeights'",
  );
  return row?.calls ?? 0;
};

describe("a cached response", () => {
  it("equals the computed one, with its headers and credits", async () => {
    const miss = await get(path("02"));
    const hit = await get(path("02"));
    expect([miss.headers["x-cache"], hit.headers["x-cache"]]).toEqual(["MISS", "HIT"]);
    expect(hit.text).toBe(miss.text);
    expect(stable(hit.headers)).toEqual(stable(miss.headers));
    expect(hit.headers["x-credits"]).not.toBe("0");
    expect(hit.headers["cache-control"]).toBe("private, no-cache");
    expect(hit.body.data.updated_at).toBe("2026-01-01T00:00:00.000Z");
  });

  it("is charged each time", async () => {
    const before = await charges();
    for (let request = 0; request < 3; request += 1) await get(path("03"));
    // Charges are written once a second.
    await until("three charges to be written", async () => (await charges()) >= before + 3);
    expect(await charges()).toBeGreaterThanOrEqual(before + 3);
  });

  it("is sent as 304 without a body, at the same cost, if the client already has it", async () => {
    const { headers, body } = await get(path("04"));
    const repeated = await get(path("04")).set("If-None-Match", headers.etag ?? "");
    expect([repeated.status, repeated.text]).toEqual([304, ""]);
    for (const name of ["etag", "cache-control", "vary", "x-credits"]) expect(repeated.headers[name]).toBe(headers[name]);
    expect(repeated.headers["content-type"]).toBeUndefined();
    expect(body.data.count).toBe(count);
    const changed = await get(path("04")).set("If-None-Match", 'W/"other"');
    expect(changed.status).toBe(200);
  });

  it("is the same for HEAD, without a body", async () => {
    await get(path("05"));
    const head = await app.withoutKey().head(path("05")).set("Host", "test.example").set("Authorization", `Bearer ${app.key}`);
    expect([head.status, head.headers["x-cache"], head.text ?? ""]).toEqual([200, "HIT", ""]);
  });

  it("has the same tag in all encodings, and is cached separately from CSV", async () => {
    const [plain, gzip] = [await get(path("06")).set("Accept-Encoding", "identity"), await get(path("06")).set("Accept-Encoding", "gzip")];
    expect([plain.headers["content-encoding"], gzip.headers["content-encoding"]]).toEqual([undefined, "gzip"]);
    expect(gzip.text).toBe(plain.text);
    expect(gzip.headers.etag).toBe(plain.headers.etag);
    const csv = [await get(`${path("06")}?format=csv`), await get(`${path("06")}?format=csv`)];
    expect(csv.map(({ headers }) => headers["x-cache"])).toEqual(["MISS", "HIT"]);
    expect(csv[1]?.text).toBe(csv[0]?.text);
    expect(csv[1]?.headers["x-has-more"]).toBe("true");
    expect(csv[0]?.headers.etag).not.toBe(plain.headers.etag);
  });

  it("is not served for another version, head, host or set of parameters", async () => {
    const request = () => get(path("07"));
    expect((await request()).headers["x-cache"]).toBe("MISS");
    expect((await request().set("Host", "other.example")).body.data.links.next).toBe("http://other.example/v1/next/");
    expect((await request().set("Host", "other.example")).headers["x-cache"]).toBe("HIT");
    expect((await get(`${path("07")}?page-size=5`)).headers["x-cache"]).toBe("MISS");
    // An unknown parameter is ignored.
    expect((await get(`${path("07")}?unknown=5`)).headers["x-cache"]).toBe("HIT");
    app.head = 101;
    expect((await request()).headers["x-cache"]).toBe("MISS");
    app.content = { id: "2", changedAt: new Date("2026-01-01T00:00:12Z") };
    const changed = await request();
    expect(changed.headers["x-cache"]).toBe("MISS");
    expect(changed.body.data.updated_at).toBe("2026-01-01T00:00:12.000Z");
  });

  it("stores the anchor of each key that requests it", async () => {
    const other = await app.keys.create({ label: "other" });
    const anchors = async () =>
      (await app.testDatabase.database.query<{ block: number }>("SELECT block_number AS block FROM page_anchors ORDER BY block")).map(
        ({ block }) => block,
      );
    const before = await anchors();
    await get(path("08"));
    const hit = await app.withoutKey().get(path("08")).set("Host", "test.example").set("Authorization", `Bearer ${other.key}`);
    expect(hit.headers["x-cache"]).toBe("HIT");
    expect(await anchors()).toEqual([...before, 90, 90]);
  });

  it("has the rate limit of the key that requests it", async () => {
    const other = await app.keys.create({ label: "limited" });
    await get(path("09"));
    const hit = await app.withoutKey().get(path("09")).set("Host", "test.example").set("Authorization", `Bearer ${other.key}`);
    expect([hit.headers["x-cache"], hit.headers["ratelimit-remaining"]]).toEqual(["HIT", "999"]);
    expect((await app.withoutKey().get(path("09"))).status).toBe(401);
  });
});

describe("a response", () => {
  it("is not cached if it is an error", async () => {
    failure = new RequestError(404, "Not found.");
    for (let request = 0; request < 2; request += 1) {
      const { status, headers } = await get(path("10"));
      expect([status, headers.etag, headers["cache-control"], headers["x-cache"]]).toEqual([404, undefined, "no-store", undefined]);
    }
    failure = null;
    expect((await get(path("10"))).headers["x-cache"]).toBe("MISS");
  });

  it("is not cached if it depends on more than the index, or on an index without a content version", async () => {
    for (let request = 0; request < 2; request += 1) {
      const { headers } = await get("/v1/demo/event/erc20/gas_prices/");
      expect([headers["x-cache"], headers.etag, headers["cache-control"]]).toEqual(["NONE", undefined, "no-store"]);
    }
    const { content } = app;
    app.content = null;
    for (let request = 0; request < 2; request += 1) expect((await get(path("11"))).headers["x-cache"]).toBe("NONE");
    app.content = content;
  });
});

describe("a request without a chain", () => {
  it("is served from the cache until any chain's content changes", async () => {
    const states = [(await get("/v1/chains/")).headers["x-cache"], (await get("/v1/chains/")).headers["x-cache"]];
    app.content = { id: "3", changedAt: new Date("2026-01-01T00:00:24Z") };
    expect([...states, (await get("/v1/chains/")).headers["x-cache"]]).toEqual(["MISS", "HIT", "MISS"]);
  });
});

describe("the cache settings", () => {
  it("can disable the cache with 0 megabytes, and can allow shared caches", async () => {
    const stubs = { getBlockHeights: async () => ({ items }) };
    const [uncached, shared] = await Promise.all([
      startHarness(stubs, { cache: { megabytes: 0, public: true } }),
      startHarness(stubs, { cache: { megabytes: 1, public: true } }),
    ]);
    uncached.content = shared.content = { id: "1", changedAt: new Date() };
    const { headers } = await uncached.get(path("02"));
    expect([headers["x-cache"], headers.etag, headers["cache-control"]]).toEqual([undefined, undefined, "no-store"]);
    expect((await shared.get(path("02"))).headers["cache-control"]).toBe("public, no-cache");
    await Promise.all([uncached.end(), shared.end()]);
  });
});
