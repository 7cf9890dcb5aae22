import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindExamples } from "../../../runtime/http/openapi-document.ts";
import { until } from "../../support/until.ts";
import { errorEnvelope, type Harness, startHarness } from "./harness.ts";

const demoKey = `ckey_${"d".repeat(27)}`;
let app: Harness;
let reasons: string[] = [];
beforeAll(async () => {
  app = await startHarness(
    {},
    {
      demo: { key: demoKey, storyValues: { trader: "0xtrader" } },
      readiness: async () => ({ reasons, details: { chains: [{ name: "demo", lag_blocks: 3 }] } }),
    },
  );
});
afterAll(() => app.end());

describe("the documentation", () => {
  it("is a page without a key, inline content or third-party content", async () => {
    for (const path of ["/docs", "/docs/", "/docs/?x=1"]) {
      const { status, headers, text } = await app.withoutKey().get(path);
      expect(status).toBe(200);
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(text).toContain('name="viewport"');
      for (const [, address] of text.matchAll(/(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^\/docs\//);
      expect(text).not.toMatch(/<script>|<style| on[a-z]+=| style=/);
    }
  });

  it("has a strict Content-Security-Policy", async () => {
    const { headers } = await app.withoutKey().get("/docs/");
    const policy = headers["content-security-policy"];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(policy).not.toContain("http");
    expect(headers["x-frame-options"]).toBe("DENY");
  });

  it("serves all of the page's files, compressed if accepted", async () => {
    const { text } = await app.withoutKey().get("/docs/");
    for (const [, address = ""] of text.matchAll(/(?:src|href)="([^"]*)"/g)) {
      const compressed = await app.withoutKey().get(address).set("Accept-Encoding", "gzip");
      const uncompressed = await app.withoutKey().get(address).set("Accept-Encoding", "identity");
      expect([compressed.status, uncompressed.status]).toEqual([200, 200]);
      expect(compressed.text).toBe(uncompressed.text);
    }
    expect((await app.withoutKey().get("/docs/swagger-ui-bundle.js").set("Accept-Encoding", "gzip")).headers["content-encoding"]).toBe(
      "gzip",
    );
    expect((await app.withoutKey().get("/docs/../package.json")).status).toBe(404);
    expect((await app.withoutKey().get("/docs/package.json")).status).toBe(404);
  });

  it("contains the key only in demo mode", async () => {
    expect((await app.withoutKey().get("/docs/start.js")).text).toContain(demoKey);
    const withoutDemo = await startHarness({});
    expect((await withoutDemo.withoutKey().get("/docs/start.js")).text).not.toContain("ckey_");
    await withoutDemo.end();
  });

  it("is the target of the redirect from the root path", async () => {
    const { status, headers } = await app.withoutKey().get("/");
    expect(status).toBe(302);
    expect(headers.location).toBe("/docs/");
  });

  it("prefixes paths with the public URL's path", async () => {
    const published = await startHarness({}, { publicUrl: "https://data.example/api" });
    expect((await published.withoutKey().get("/docs/")).text).toContain('src="/api/docs/start.js"');
    expect((await published.withoutKey().get("/docs/start.js")).text).toContain('"/api/openapi.json"');
    expect((await published.withoutKey().get("/openapi.json")).body.servers[0].url).toBe("https://data.example/api");
    await published.end();
  });
});

describe("/openapi.json", () => {
  it("contains the requested host as the server, and story values in examples", async () => {
    const { status, body } = await app.withoutKey().get("/openapi.json").set("Host", "127.0.0.1:8080");
    expect(status).toBe(200);
    expect(body.servers).toEqual([{ url: "http://127.0.0.1:8080", description: "This server." }]);
    expect(body.components.parameters.Wallet.example).toBe("0xtrader");
  });

  it("converts examples to their schemas' types, and keeps examples with an unknown story value", () => {
    const bound = bindExamples(
      {
        parameters: [
          { name: "page", in: "path", schema: { type: "integer" }, example: 0, "x-story": "page" },
          { name: "list", in: "path", schema: { type: "array" }, example: ["x"], "x-story": "list" },
          { name: "other", in: "query", schema: { type: "string" }, example: "kept", "x-story": "toString" },
          { name: "chainName", in: "path", schema: { type: "string" }, example: "demo" },
        ],
      },
      { storyValues: { page: "12", list: "a,b" }, chainName: "eth-mainnet" },
    );
    expect((bound.parameters as { example: unknown }[]).map(({ example }) => example)).toEqual([12, ["a", "b"], "kept", "eth-mainnet"]);
  });
});

describe("the health endpoints", () => {
  it("respond to liveness probes without a key", async () => {
    const { status, body } = await app.withoutKey().get("/healthz");
    expect(status).toBe(200);
    expect(body.data).toEqual({ status: "up" });
  });

  it("report readiness with each chain's lag", async () => {
    const { status, body } = await app.withoutKey().get("/readyz");
    expect(status).toBe(200);
    expect(body.data).toEqual({ status: "ready", chains: [{ name: "demo", lag_blocks: 3 }] });
  });

  it("report why the server is not ready, and report it as not ready during shutdown", async () => {
    reasons = ["The first backfill of demo is at block 5 of 100."];
    // A check's result is cached for one second.
    await until("the readiness to be checked again", async () => (await app.withoutKey().get("/readyz")).status === 503);
    const notReady = await app.withoutKey().get("/readyz");
    expect(notReady.body).toEqual(errorEnvelope(503, reasons[0]));
    reasons = [];
    app.announceStop();
    expect((await app.withoutKey().get("/readyz")).status).toBe(503);
    expect((await app.withoutKey().get("/healthz")).status).toBe(200);
  });
});
