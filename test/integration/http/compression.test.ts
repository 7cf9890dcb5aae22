import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notFound } from "../../../runtime/lib/request-error.ts";
import { type Harness, startHarness } from "./harness.ts";

const items = Array.from({ length: 200 }, (_, height) => ({ height, block_hash: `0x${"ab".repeat(32)}` }));
/** A name that makes error messages larger than 1 kB. */
const longName = "x".repeat(2000);

let app: Harness;
let server: Server;
beforeAll(async () => {
  app = await startHarness({
    getAllChains: async () => ({ updated_at: "2026-01-01T00:00:00Z", items: [] }),
    getBlockHeights: async () => ({ items }),
    getBlock: async () => {
      throw notFound("Block", longName, "demo");
    },
  });
  server = createServer(app.listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  server.close();
  await app.end();
});

const large = "/v1/demo/block_v2/2026-01-01/2026-01-02/";
const small = "/v1/chains/";

/** Sends a request and returns the response with its body as received, still compressed. */
async function send(path: string, acceptEncoding: string, method = "GET") {
  const { port } = server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${app.key}`, "accept-encoding": acceptEncoding };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, path, method, headers, agent: false }, resolve).on("error", reject).end();
  });
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

describe("a response", () => {
  it("has the same content in each encoding", async () => {
    const { body: plain, headers } = await send(large, "identity");
    expect(headers["content-encoding"]).toBeUndefined();
    expect(JSON.parse(plain.toString()).data.items).toHaveLength(200);
    const brotli = await send(large, "br");
    expect(brotli.headers["content-encoding"]).toBe("br");
    expect(brotli.headers["content-length"]).toBe(String(brotli.body.length));
    expect(brotliDecompressSync(brotli.body).equals(plain)).toBe(true);
    const gzip = await send(large, "gzip");
    expect(gzip.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gzip.body).equals(plain)).toBe(true);
  });

  it("has Vary: Accept-Encoding, whether or not it is compressed", async () => {
    for (const coding of ["identity", "br"]) expect((await send(large, coding)).headers.vary).toBe("Accept-Encoding");
    expect((await send(small, "br")).headers.vary).toBe("Accept-Encoding");
  });

  it("is not compressed below 1 kB, unless the client excludes identity", async () => {
    expect((await send(small, "br")).headers["content-encoding"]).toBeUndefined();
    expect((await send(small, "br, identity;q=0")).headers["content-encoding"]).toBe("br");
  });

  it("is not compressed if it is an error", async () => {
    const { status, headers, body } = await send("/v1/demo/block_v2/1/", "br");
    expect(status).toBe(404);
    expect(body.length).toBeGreaterThan(1024);
    expect(headers["content-encoding"]).toBeUndefined();
  });

  it("costs the same in each encoding, and HEAD returns the same headers, except for the length of a compressed body", async () => {
    for (const coding of ["identity", "br"]) {
      const get = await send(large, coding);
      const head = await send(large, coding, "HEAD");
      for (const name of ["x-credits", "content-type", "content-encoding", "vary"]) expect(head.headers[name]).toBe(get.headers[name]);
      expect(head.headers["content-length"]).toBe(coding === "identity" ? get.headers["content-length"] : undefined);
    }
  });
});

describe("CSV", () => {
  it("is compressed as a stream", async () => {
    const { body: plain } = await send(`${large}?format=csv`, "identity");
    const { body, headers } = await send(`${large}?format=csv`, "br");
    expect(headers["content-encoding"]).toBe("br");
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8; header=present");
    expect(brotliDecompressSync(body).equals(plain)).toBe(true);
  });
});

describe("the OpenAPI document and the documentation files", () => {
  it("are sent in each encoding", async () => {
    for (const path of ["/openapi.json", "/docs/swagger-ui.css"]) {
      const { body: plain } = await send(path, "identity");
      const { body, headers } = await send(path, "gzip, br;q=0.9, identity;q=0");
      expect(headers["content-encoding"]).toBe("gzip");
      expect(headers["content-length"]).toBe(String(body.length));
      expect(gunzipSync(body).equals(plain)).toBe(true);
    }
  });
});

describe("a server without compression", () => {
  it("sends everything uncompressed, without a Vary header", async () => {
    const uncompressed = await startHarness({ getBlockHeights: async () => ({ items }) }, { compression: false });
    const { headers } = await uncompressed.get(large).set("Accept-Encoding", "gzip, br");
    expect(headers["content-encoding"]).toBeUndefined();
    expect(headers.vary).toBeUndefined();
    await uncompressed.end();
  });
});
