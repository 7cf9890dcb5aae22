import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorEnvelope, type Harness, registeredAddress, startHarness } from "./harness.ts";
import { startStubServer, wallet } from "./stub-server.ts";

let app: Harness;

beforeAll(async () => {
  app = await startStubServer();
});
afterAll(() => app.end());

describe("a path", () => {
  it("is equivalent with and without a trailing slash or a bare question mark, without a redirect", async () => {
    for (const path of ["/v1/chains/", "/v1/chains", "/v1/chains/?", "/v1/chains?"]) {
      expect((await app.get(path)).body.data.items).toHaveLength(1);
    }
  });

  it("accepts xy=k percent-encoded in either case, and other unnecessary encoding", async () => {
    for (const segment of ["xy=k", "xy%3Dk", "xy%3dk", "%78y%3Dk"]) {
      expect((await app.get(`/v1/demo/${segment}/some_dex/pools/`)).status).toBe(200);
    }
  });

  it("accepts both a community protocol's id and its configured name", async () => {
    for (const name of ["protocol_06", "lend=it", "lend%3Dit"]) {
      expect((await app.get(`/v1/cq/provider/app/${name}/markets/`)).body.data).toEqual({ protocol: "protocol_06" });
    }
    expect((await app.get("/v1/cq/provider/app/unheard/markets/")).status).toBe(404);
  });

  it.each(["//v1/chains/", "/v1//chains/", "/v1/chains//", "/V1/chains/", "/v1/Chains/", "/v2/chains/", "/favicon.ico", "/v1/%2Fchains/"])(
    "causes a 404 in JSON if it does not exist: %s",
    async (path) => {
      const { status, body, headers } = await app.get(path);
      expect(status).toBe(404);
      expect(body).toEqual(errorEnvelope(404, expect.any(String)));
      expect(headers["content-type"]).toContain("application/json");
    },
  );

  it("matches only its own endpoint even if paths overlap", async () => {
    const harness = await startHarness({
      getNftApprovals: async () => ({ handler: "approvals" }),
      getTokenIdsForContractWithMetadata: async () => ({ handler: "metadata" }),
      getBlock: async () => ({ handler: "block" }),
      getBlockHeights: async () => ({ handler: "heights" }),
      getAllChains: async () => ({ handler: "chains" }),
      getAllChainStatus: async () => ({ handler: "status" }),
      getLogs: async () => ({ handler: "logs" }),
      getTokenPrices: async () => ({ handler: "prices" }),
      getSupportedDexes: async () => ({ handler: "dexes" }),
    });
    for (const [path, handler] of [
      [`/v1/demo/nft/approvals/${wallet}/`, "approvals"],
      [`/v1/demo/nft/${wallet}/metadata/`, "metadata"],
      ["/v1/demo/block_v2/5/", "block"],
      ["/v1/demo/block_v2/2026-01-01/latest/", "heights"],
      ["/v1/chains/", "chains"],
      ["/v1/chains/status", "status"],
      ["/v1/demo/events", "logs"],
      [`/v1/pricing/historical_by_addresses_v2/demo/USD/${wallet}/`, "prices"],
      ["/v1/xy%3Dk/supported_dexes/", "dexes"],
    ] as const) {
      expect([path, (await harness.get(path)).body.data]).toEqual([path, { handler }]);
    }
    expect((await harness.get("/v1/chains/events/")).body.error_message).toContain("chainName");
    await harness.end();
  });

  it("causes an error with the nearest path if it is misspelled", async () => {
    const { body } = await app.withoutKey().get(`/v1/demo/adress/${wallet}/balance_v2/`);
    expect(body.error_message).toContain("the nearest path is /v1/{chainName}/address/{walletAddress}/balances_v2/");
  });
});

describe("parameters", () => {
  it("accept a chain's name or id, and an address in any case or a registered name", async () => {
    for (const [chain, address] of [
      ["demo", wallet],
      ["31337", wallet.toUpperCase()],
      ["demo", wallet.toLowerCase()],
      ["demo", "%20Alice.eth%20"],
    ] as const) {
      const { body } = await app.get(`/v1/${chain}/address/${address}/balances_v2/?no-spam=%20true%20&utm=x`);
      expect(body.data.chain).toEqual({ id: 31337, name: "demo" });
      expect(body.data.walletAddress).toBe(address.includes("eth") ? registeredAddress : wallet.toLowerCase());
      expect(body.data.noSpam).toBe(true);
    }
  });

  it("are all reported if they are invalid, with the values sent and expected", async () => {
    const { status, body } = await app.get("/v1/nowhere/block_v2/2026-02-30/tomorrow/?page-size=0x10&page-number=1e3&format=xml");
    expect(status).toBe(400);
    const message: string = body.error_message;
    expect(message).toContain('Invalid value "0x10" for page-size: expected a whole number from 1 to 1000.');
    expect(message).toContain('Invalid value "1e3" for page-number: expected a whole number from 0 to 2147483647.');
    expect(message).toContain('Invalid value "nowhere" for chainName: expected ');
    expect(message).toContain("demo, eth-mainnet");
    for (const part of ['"2026-02-30" for startDate', '"tomorrow" for endDate', '"xml" for format']) expect(message).toContain(part);
  });

  it("are refused with 400 if a name is not registered", async () => {
    const { status, body } = await app.get("/v1/demo/address/nobody.eth/balances_v2/");
    expect(status).toBe(400);
    expect(body.error_message).toBe(
      'Invalid value "nobody.eth" for walletAddress: expected 0x followed by 40 hex digits or a registered name.',
    );
  });

  it("are refused if they are repeated, unless they are unknown", async () => {
    const { status, body } = await app.get(`/v1/demo/address/${wallet}/balances_v2/?no-spam=true&no-spam=false`);
    expect(status).toBe(400);
    expect(body.error_message).toContain("sent more than once");
    expect((await app.get("/v1/chains/?x=1&x=2&y[]=3")).status).toBe(200);
  });
});

describe("a method", () => {
  it.each(["post", "put", "patch", "delete"] as const)(
    "is refused with 405 and an Allow header unless it is GET, HEAD or OPTIONS: %s",
    async (method) => {
      for (const path of ["/v1/chains/", "/nowhere"]) {
        const { status, body, headers } = await app.withoutKey()[method](path);
        expect(status).toBe(405);
        expect(headers.allow).toBe("GET, HEAD, OPTIONS");
        expect(body).toEqual(errorEnvelope(405, expect.stringContaining(method.toUpperCase())));
      }
    },
  );
});

describe("CORS headers", () => {
  it("are returned for OPTIONS without a key", async () => {
    const { status, headers } = await app
      .withoutKey()
      .options("/v1/chains/")
      .set("Origin", "https://page.example")
      .set("Access-Control-Request-Method", "GET")
      .set("Access-Control-Request-Headers", "authorization,x-requested-with");
    expect(status).toBe(204);
    expect(headers.allow).toBe("GET, HEAD, OPTIONS");
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers["access-control-allow-methods"]).toContain("GET");
    for (const name of ["Authorization", "X-Requested-With"]) expect(headers["access-control-allow-headers"]).toContain(name);
  });

  it("allow pages from other origins to read and frame responses, errors and their headers", async () => {
    for (const request of [app.get("/v1/chains/"), app.withoutKey().get("/v1/chains/")]) {
      const { headers } = await request.set("Origin", "https://page.example").set("X-Requested-With", "client");
      expect(headers["access-control-allow-origin"]).toBe("*");
      expect(headers["access-control-expose-headers"]).toContain("X-Credits");
      expect(headers["cross-origin-resource-policy"]).toBe("cross-origin");
      expect(headers["x-frame-options"]).toBeUndefined();
      expect(headers["content-security-policy"]).toBe("default-src 'none'");
    }
  });
});
