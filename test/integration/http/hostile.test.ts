import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseQuery } from "../../../runtime/http/query.ts";
import { errorEnvelope, type Harness, startHarness } from "./harness.ts";

let app: Harness;
beforeAll(async () => {
  app = await startHarness({
    getAllChains: async () => ({ items: [] }),
    getLogs: async () => ({ items: [] }),
    getLogEventsByAddress: async () => ({ items: [] }),
    getPools: async ({ dexName }: { readonly dexName: string }) => ({ dexName, items: [], warning: "a\r\nX-Injected: 1 é" }),
  });
});
afterAll(() => app.end());

describe("hostile input", () => {
  it.each([
    ["/v1/%/", "the path"],
    ["/v1/%zz/events/", "the path"],
    ["/v1/%c3%28/events/", "the path"],
    ["/v1/%ed%a0%80/events/", "the path"],
    ["/v1/chains/?x=%", '"x"'],
    ["/v1/chains/?%ff=1", "query parameter"],
    ["/v1/demo/events/?page-size=%c3%28", '"page-size"'],
  ])("is refused with 400 and its location if its percent-encoding is invalid: %s", async (path, location) => {
    const { status, body } = await app.get(path);
    expect(status).toBe(400);
    expect(body).toEqual(errorEnvelope(400, expect.stringContaining(location)));
  });

  it.each([
    "__proto__=polluted",
    "constructor[prototype][polluted]=1",
    "__proto__[polluted]=1",
    "a[]=1&a[]=2",
    "a[b][c]=1",
    "toString=1",
    "hasOwnProperty=1&hasOwnProperty=2",
    "=",
    "&&&=&",
    `${"a=1&".repeat(900)}`,
  ])("has no effect in unknown parameters: %s", async (query) => {
    expect((await app.get(`/v1/chains/?${query}`)).status).toBe(200);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("is refused with 400 and the limit if it has too many parameters", async () => {
    const harness = await startHarness({ getAllChains: async () => ({ items: [] }) }, { limits: { urlBytes: 100_000 } });
    const getWith = (pairs: string) => harness.withoutKey().get(`/v1/chains/?${pairs}`).set("Authorization", `Bearer ${harness.key}`);
    expect((await getWith("a=1&".repeat(1_000))).status).toBe(200);
    const { status, body } = await getWith(`${"a=1&".repeat(1_001)}`);
    expect(status).toBe(400);
    expect(body).toEqual(errorEnvelope(400, "Too many query parameters: 1001; the maximum is 1000."));
    await harness.end();
  });

  it("is parsed with all values of a repeated parameter, and cannot change a prototype", () => {
    expect(parseQuery("a=1&b=2&a=&&a=%41")).toEqual({ a: ["1", "", "A"], b: "2" });
    expect(parseQuery("__proto__=1&__proto__=2")).toEqual(Object.assign(Object.create(null), { ["__proto__"]: ["1", "2"] }));
  });

  it.each(["__proto__", "constructor", "toString", "..%2f..%2fetc%2fpasswd", "%00", "demo%00", "demo%0d%0aX-Injected:1", "%3Cscript%3E"])(
    "is refused as a chain name, like any unknown chain: %s",
    async (chain) => {
      const { status, headers, body } = await app.get(`/v1/${chain}/events/`);
      expect(status).toBe(400);
      expect(headers["x-injected"]).toBeUndefined();
      expect(body.error_message).toContain("demo, eth-mainnet");
      expect(body.error_message).not.toMatch(/[\r\n\0]/);
    },
  );

  it("never reaches a resolver as free text with control characters", async () => {
    for (const name of ["a%00b", "a%0d%0ab", "%7f", "x".repeat(65)]) {
      expect((await app.get(`/v1/demo/xy=k/${name}/pools/`)).status).toBe(400);
    }
    expect((await app.get("/v1/demo/xy=k/'%3B%20DROP%20TABLE%20x/pools/")).body.data.dexName).toBe("'; DROP TABLE x");
  });

  it("cannot inject headers if it comes from the chain", async () => {
    const { headers } = await app.get("/v1/demo/xy=k/dex/pools/");
    expect(headers["x-warning"]).toBe("a?X-Injected: 1 ?");
    expect(headers["x-injected"]).toBeUndefined();
  });

  it("is echoed without keys and truncated to 100 characters", async () => {
    const { body } = await app.get(`/v1/${"y".repeat(1000)}/events/`);
    expect(body.error_message).toContain(`Invalid value "${"y".repeat(100)}" for `);
    const echoed = await app.get(`/v1/demo/events/?block-hash=${app.key}`);
    expect(echoed.status).toBe(400);
    expect(echoed.text).not.toContain(app.key);
    expect((await app.get(`/v1/${app.key}/nothing/here/`)).text).not.toContain(app.key);
  });

  it.each([
    "page-size=0x10",
    "page-size=1e3",
    "page-size=%2B1",
    "page-size=-1",
    "page-size=1.5",
    "page-size=007",
    "page-size=1001",
    "page-size=NaN",
    "page-number=9007199254740993",
    "page-number=99999999999999999999",
    "starting-block=-1",
    "starting-block=0x",
    "starting-block=pending",
  ])("is refused as a numeric parameter: %s", async (query) => {
    const { status, body } = await app.get(`/v1/demo/events/address/0x${"11".repeat(20)}/?${query}`);
    expect(status).toBe(400);
    expect(body.error_message).toContain(` for ${query.split("=")[0]}: expected `);
  });
});
