import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorEnvelope, type Harness, startHarness } from "./harness.ts";
import { startStubServer, wallet } from "./stub-server.ts";

let app: Harness;

beforeAll(async () => {
  app = await startStubServer();
});
afterAll(() => app.end());

describe("a response", () => {
  it("is the envelope as uncached JSON in UTF-8", async () => {
    const { status, body, headers } = await app.get("/v1/chains/");
    expect(status).toBe(200);
    expect(body).toEqual({
      data: { updated_at: "2026-01-01T00:00:00Z", items: [{ name: "démo" }] },
      error: false,
      error_message: null,
      error_code: null,
    });
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["x-powered-by"]).toBeUndefined();
  });

  it("has a request id: the client's, if it is a plain token and not a key", async () => {
    const responseIdFor = async (requestId?: string) => {
      const request = app.get("/v1/chains/");
      if (requestId !== undefined) request.set("X-Request-Id", requestId);
      return (await request).headers["x-request-id"];
    };
    expect(await responseIdFor()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await responseIdFor("trace-0123456789")).toBe("trace-0123456789");
    for (const requestId of ["short", "a b c d e f g h", "x".repeat(65), "<script>alert(1)</script>", app.key]) {
      expect(await responseIdFor(requestId)).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it("has the same headers and no body for HEAD", async () => {
    const getResponse = await app.get("/v1/chains/");
    const head = await app.withoutKey().head("/v1/chains/").set("Authorization", `Bearer ${app.key}`);
    expect(head.status).toBe(200);
    expect(head.text).toBeUndefined();
    for (const name of ["content-type", "content-length", "x-credits"]) expect(head.headers[name]).toBe(getResponse.headers[name]);
    expect((await app.withoutKey().head("/v1/chains/")).status).toBe(401);
  });
});

describe("an error response", () => {
  it("has status 404 and the resolver's message for a missing entity", async () => {
    const { status, body } = await app.get("/v1/demo/block_v2/404/");
    expect(status).toBe(404);
    expect(body).toEqual(errorEnvelope(404, "Block 404 not found in the index of demo."));
  });

  it("has status 500 and only the request id for an unexpected error", async () => {
    const { status, body, headers, text } = await app.get("/v1/chains/status/");
    expect(status).toBe(500);
    expect(body.error_message).toContain(headers["x-request-id"]);
    for (const leaked of ["SELECT", "relation", "queries.ts", "ckey_", "    at "]) expect(text).not.toContain(leaked);
  });

  it("has status 503 if the database fails, and states the time limit if a statement exceeds it", async () => {
    const down = await app.get("/v1/demo/block_v2/503/");
    expect(down.status).toBe(503);
    expect(down.text).not.toContain("ECONNREFUSED");
    const slow = await app.get("/v1/demo/block_v2/504/");
    expect(slow.status).toBe(503);
    expect(slow.body.error_message).toContain("10000 ms");
    expect(Number(slow.headers["retry-after"])).toBeGreaterThan(0);
  });

  it("costs nothing", async () => {
    for (const path of ["/v1/demo/block_v2/404/", "/v1/chains/status/", "/v1/demo/block_v2/x/"]) {
      expect((await app.get(path)).headers["x-credits"]).toBe("0");
    }
  });
});

describe("the error message for an exceeded limit", () => {
  it("includes the max length of a URL", async () => {
    const path = `/v1/chains/?x=${"a".repeat(2000)}`;
    const { status, body } = await app.get(path);
    expect(status).toBe(400);
    expect(body.error_message).toBe(`URL too long: ${path.length} bytes; the maximum is 2000 (limits.urlBytes).`);
  });

  it("includes the max number of list items", async () => {
    const list = Array.from({ length: 5 }, (_, index) => `0x${index}`).join(",");
    const { body } = await app.get(`/v1/demo/events/?topics=${list}`);
    expect(body.error_message).toContain("1 to 4 comma-separated");
  });
});

describe("links", () => {
  const linkOf = async (harness: Harness, headers: Record<string, string>) =>
    (await harness.get(`/v1/demo/address/${wallet}/balances_v2/`).set(headers)).body;

  it("are built from a valid Host header, but not from an untrusted client's forwarded headers", async () => {
    expect((await linkOf(app, { Host: "api.example:8080" })).data.link).toBe("http://api.example:8080/v1/x/");
    expect((await linkOf(app, { Host: "[::1]:80" })).data.link).toBe("http://[::1]:80/v1/x/");
    const forwarded = { Host: "inside", "X-Forwarded-Host": "outside.example", "X-Forwarded-Proto": "https" };
    expect((await linkOf(app, forwarded)).data.link).toBe("http://inside/v1/x/");
    for (const host of ["evil.example/path", "a b", "<script>", "a@b", "x?y"]) {
      expect(await linkOf(app, { Host: host })).toEqual(errorEnvelope(400, expect.stringContaining("Host")));
    }
  });

  it("are built from a trusted proxy's forwarded headers unless a public URL is configured", async () => {
    const stubs = {
      getTokenBalancesForWalletAddress: async (_request: never, { absoluteUrl }: { absoluteUrl: (path: string) => string }) => ({
        link: absoluteUrl("/v1/x/"),
      }),
    };
    const forwarded = { Host: "inside", "X-Forwarded-Host": "outside.example", "X-Forwarded-Proto": "https" };
    const behindProxy = await startHarness(stubs, { trustedProxies: ["loopback"] });
    expect((await linkOf(behindProxy, forwarded)).data.link).toBe("https://outside.example/v1/x/");
    await behindProxy.end();
    const published = await startHarness(stubs, { publicUrl: "https://data.example/api/" });
    const { headers, body } = await published.get(`/v1/demo/address/${wallet}/balances_v2/`).set("Host", "<bad>");
    expect(body.data.link).toBe("https://data.example/api/v1/x/");
    expect(headers["strict-transport-security"]).toContain("max-age");
    await published.end();
  });
});
