import { mkdir } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { Agent, request as httpsRequest } from "node:https";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKeys } from "../../../runtime/http/keys.ts";
import { testCertificate } from "../../support/https-server.ts";
import type { ServerProcess } from "../../support/server-process.ts";
import { until } from "../../support/until.ts";
import { blockPath, type IndexedBlock, indexBlock } from "./indexed-block.ts";
import { caddy, nginx, type ProxyProgram, proxyHost, type RunningProxy } from "./proxies.ts";

const path = blockPath;
let indexed: IndexedBlock;
let key: string;

beforeAll(async () => {
  indexed = await indexBlock();
  key = (await createKeys(indexed.testDatabase.database).create({ label: "proxy" })).key;
  return indexed.remove;
});

interface ProxyResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** The proxies are operating system packages; npm cannot install them. */
const describeInstalled = (proxy: ProxyProgram) => (proxy.isInstalled() ? describe : describe.skip);
const nameOf = ({ name, isInstalled }: ProxyProgram): string => (isInstalled() ? name : `${name} (skipped: the program is not installed)`);

for (const proxy of [nginx, caddy]) {
  describeInstalled(proxy)(`the documented example of ${nameOf(proxy)}`, () => {
    let server: ServerProcess;
    let running: RunningProxy;
    let agent: Agent;
    beforeAll(async () => {
      const folder = join(indexed.folder, proxy.name);
      await mkdir(folder);
      server = await indexed.serve({ trustedProxies: ["127.0.0.1"] });
      running = await proxy.start(folder, new URL(server.url));
      agent = new Agent({
        ca: testCertificate,
        keepAlive: true,
        maxSockets: 4,
        lookup: (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
      });
    });
    afterAll(async () => {
      agent?.destroy();
      await running?.stop();
      await server?.stop();
    });

    const send = (target: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<ProxyResponse> =>
      new Promise((resolve, reject) => {
        const sent = httpsRequest({ agent, host: proxyHost, port: running.port, path: target, method, headers }, (response) => {
          const parts: Buffer[] = [];
          response.on("data", (part: Buffer) => parts.push(part));
          response.on("error", reject);
          response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }));
        });
        sent.on("error", reject);
        sent.end();
      });
    const itemsOf = (body: string): unknown => (JSON.parse(body) as { data: { items: unknown } }).data.items;
    const authorization = () => ({ authorization: `Bearer ${key}` });

    it("forwards requests and responses unchanged, over TLS", async () => {
      const direct = await fetch(server.url + path, { headers: { ...authorization(), "accept-encoding": "identity" } });
      const { status, headers, body } = await send(path, authorization());
      // Links refer to the proxy.
      const expected = (await direct.text()).replaceAll(server.url, `https://${proxyHost}:${running.port}`);
      expect([status, itemsOf(body.toString())]).toEqual([200, itemsOf(expected)]);
      expect(headers["content-encoding"]).toBeUndefined();
      for (const name of ["content-type", "cache-control", "x-credits", "ratelimit-policy"])
        expect(headers[name]).toBe(direct.headers.get(name));
      expect(await send(path, authorization(), "HEAD")).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    });

    it("forwards Ashlar's compression and entity tags", async () => {
      const plain = await send("/openapi.json");
      const { headers, body } = await send("/openapi.json", { "accept-encoding": "br" });
      expect(headers["content-encoding"]).toBe("br");
      expect(brotliDecompressSync(body)).toEqual(plain.body);
      const { etag } = (await send(path, authorization())).headers;
      if (typeof etag !== "string") throw new Error("The response has no entity tag.");
      expect(await send(path, { ...authorization(), "if-none-match": etag })).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    });

    it("makes links refer to the proxy", async () => {
      const document = JSON.parse((await send("/openapi.json")).body.toString()) as { servers: { url: string }[] };
      expect(document.servers[0]?.url).toBe(`https://${proxyHost}:${running.port}`);
    });

    it("serves HTTP/2", async () => {
      const session = connectHttp2(`https://127.0.0.1:${running.port}`, { ca: testCertificate, servername: proxyHost });
      const headers = await new Promise<Record<string, unknown>>((resolve, reject) => {
        session.once("error", reject);
        const stream = session.request({ ":path": path, ":authority": `${proxyHost}:${running.port}`, ...authorization() });
        stream.once("error", reject);
        stream.once("response", resolve);
        stream.resume();
      });
      session.close();
      expect(headers[":status"]).toBe(200);
    });

    it("replaces the clients' forwarded headers", async () => {
      const forged = { "x-forwarded-for": "192.0.2.9", "x-forwarded-host": "forged.example", "x-forwarded-proto": "http" };
      const fromForged = async (): Promise<number> => {
        const response = await fetch(server.url + path, { headers: forged });
        await response.arrayBuffer();
        return response.status;
      };
      // Without the proxy, Ashlar trusts these headers: after 1,000 failures in 10 s (docs/architecture/fairness.md), it rejects requests from this address.
      await until("the address to be limited", async () => (await Promise.all(Array.from({ length: 50 }, fromForged))).includes(429));
      const [direct, proxied] = await Promise.all([fromForged(), send(path, forged)]);
      expect([direct, proxied.status]).toEqual([429, 401]);
      const document = JSON.parse((await send("/openapi.json", forged)).body.toString()) as { servers: { url: string }[] };
      expect(document.servers[0]?.url).toBe(`https://${proxyHost}:${running.port}`);
    });

    it("responds in Ashlar's format while Ashlar is restarted", async () => {
      await server.stop();
      const { status, headers, body } = await send(path, authorization());
      expect([status, headers["retry-after"], headers["content-type"]]).toEqual([503, "5", expect.stringContaining("application/json")]);
      expect(JSON.parse(body.toString())).toMatchObject({ data: null, error: true, error_code: 503 });
    });
  });
}
