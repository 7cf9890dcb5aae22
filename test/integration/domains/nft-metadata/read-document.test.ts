import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from "vitest";
import type { DocumentOutcome } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";
import { createDocumentReader } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/read-document.ts";
import { createWebClient } from "../../../../runtime/web/web.ts";
import {
  type Listener,
  startHttpsServer,
  startSilentServer,
  type TestHttpsServer,
  testCertificate,
} from "../../../support/https-server.ts";
import { scaleTimeLimit } from "../../../support/scale-time-limit.ts";

const contentId = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
const oldContentId = `Qm${"a".repeat(44)}`;
const transactionId = "a".repeat(43);
const signal = new AbortController().signal;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const nameOf = (outcome: DocumentOutcome): string | null => (outcome.ok ? outcome.document.name : `refused: ${outcome.refusal}`);

/** Starts a local gateway whose documents are named `name`. */
const startGateway = async (name: string) => {
  const paths: string[] = [];
  const gateway = { paths, status: 200, delay: 0, type: "application/json", url: "", close: () => server.close() };
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    setTimeout(() => response.writeHead(gateway.status, { "content-type": gateway.type }).end(`{"name":"${name}"}`), gateway.delay);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  gateway.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return gateway;
};

let first: Awaited<ReturnType<typeof startGateway>>;
let second: typeof first;
let remote: TestHttpsServer;
/** No request may reach this listener. */
let privateListener: Listener;
beforeAll(async () => {
  first = await startGateway("first");
  second = await startGateway("second");
  remote = await startHttpsServer((_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end('{"name":"strange"}'),
  );
  privateListener = await startSilentServer();
});
afterAll(async () => {
  first.close();
  second.close();
  await remote.close();
  await privateListener.close();
});
afterEach(() => {
  for (const gateway of [first, second]) Object.assign(gateway, { status: 200, delay: 0, type: "application/json" }).paths.length = 0;
  expect(privateListener.connections).toBe(0);
});

const readWith = (url: string, changes: object = {}): Promise<DocumentOutcome> => {
  const config = { ipfsGateways: [first.url, second.url], arweaveGateways: [first.url], documentBytes: 10_000, fetchMilliseconds: 2_000 };
  const web = createWebClient({
    // All names resolve to the loopback address, but only the remote server's name is allowed to.
    resolve: async () => ["127.0.0.1"],
    isExempt: (_, hostname) => hostname === "documents.example",
    ports: ["443", String(remote.port), String(privateListener.port)],
    certificates: [testCertificate],
  });
  return createDocumentReader({ ...config, ...changes }, { web })(url, signal);
};

describe("metadata in a data: URL", () => {
  it.each([
    ["base64", `data:application/json;base64,${base64('{"name":"é #1"}')}`],
    [
      "base64url with line breaks and without padding",
      `data:application/json;base64,${base64('{"name":"é #1"}')
        .replace(/=+$/, "")
        .replace(/(.{5})/, "$1\n")}`,
    ],
    ["base64, escaped", `data:application/json;base64,${encodeURIComponent(base64('{"name":"é #1"}'))}`],
    ["escaped", `data:application/json,${encodeURIComponent('{"name":"é #1"}')}`],
    ["escaped, with a charset", `data:application/json;charset=utf-8,${encodeURIComponent('{"name":"é #1"}')}`],
    ["unescaped", 'data:application/json;utf8,{"name":"é #1"}'],
    ["unescaped, without a media type", 'data:,{"name":"é #1"}'],
    ["of another text type", 'data:text/plain,{"name":"é #1"}'],
    ["with a byte order mark", `data:application/json;base64,${base64('\ufeff{"name":"é #1"}')}`],
    ["escaped, with an id as the fragment", `data:application/json,${encodeURIComponent('{"name":"é #1"}')}#7`],
    ["base64, with an id as the fragment", `data:application/json;base64,${base64('{"name":"é #1"}')}#7`],
    ["in upper case", `DATA:Application/JSON;BASE64,${base64('{"name":"é #1"}')}`],
  ])("is read: %s", async (_, url) => {
    expect(nameOf(await readWith(url))).toBe("é #1");
  });

  it("is not unescaped if it was not escaped", async () => {
    expect(nameOf(await readWith('data:application/json;utf8,{"name":"100%","image":"data:image/png,%22"}'))).toBe("100%");
    expect(nameOf(await readWith("data:application/json,%7B%22name%22:%22100%25 x%%22%7D"))).toBe("100% x%");
  });

  it("may be an image", async () => {
    const svg = "<svg xmlns='http://www.w3.org/2000/svg'/>";
    const outcome = await readWith(`data:image/svg+xml;utf8,${svg}`);
    expect(outcome).toMatchObject({
      ok: true,
      document: {
        name: null,
        image: `data:image/svg+xml;base64,${base64(svg)}`,
        assetBytes: svg.length,
        text: `data:image/svg+xml;utf8,${svg}`,
      },
    });
    expect(await readWith("data:image/svg+xml,<svg onload='x'/>")).toEqual({
      ok: false,
      refusal: "The image in the metadata URL has the event handler onload.",
      isPermanent: true,
    });
  });

  it.each([
    ["data:text/html,<script>", "The data: URL has the media type text/html; expected JSON or an image."],
    ["data:application/json", "The data: URL has no comma before its data."],
    ["data:application/json;base64,{}", "The data: URL is not valid base64."],
    [`data:application/json,${"x".repeat(10_001)}`, "The metadata is too large: documents of up to 10000 bytes are accepted."],
    [`data:application/json,${"x".repeat(100_000)}`, "The metadata is too large: documents of up to 10000 bytes are accepted."],
    [`data:application/json;base64,${gzipSync("{}").toString("base64")}`, "The data: URL is compressed with gzip; expected plain JSON."],
    ["data:application/json,{", "The metadata is not JSON: unexpected end."],
  ])("is refused permanently: %s", async (url, refusal) => {
    expect(await readWith(url)).toEqual({ ok: false, refusal, isPermanent: true });
  });
});

describe("metadata at a remote URL", () => {
  it("is fetched from an https: server", async () => {
    expect(nameOf(await readWith(`https://documents.example:${remote.port}/1`))).toBe("strange");
  });

  it.each([
    [`ipfs://${contentId}/1.json`, `/ipfs/${contentId}/1.json`],
    [`ipfs://${oldContentId}`, `/ipfs/${oldContentId}`],
    [`ipfs://ipfs/${contentId}/a/b`, `/ipfs/${contentId}/a/b`],
    [`IPFS://${contentId}//a b#1/%20.json?x=y`, `/ipfs/${contentId}/a%20b%231/%20.json`],
    [`${contentId}/1`, `/ipfs/${contentId}/1`],
    [oldContentId, `/ipfs/${oldContentId}`],
    [`ar://${transactionId}`, `/${transactionId}`],
    [`ar://${transactionId}/1.json`, `/${transactionId}/1.json`],
  ])("is fetched through a gateway: %s", async (url, path) => {
    expect(nameOf(await readWith(url))).toBe("first");
    expect(first.paths).toEqual([path]);
  });

  const invalidPath = "The path of the URL leads outside its content or contains invalid characters.";
  it.each([
    [`ipfs://${contentId}/../../api/v0/id`, invalidPath],
    [`ipfs://${contentId}/%2e%2e/x`, invalidPath],
    [`ipfs://${contentId}/%252E%252e/x`, invalidPath],
    [`ipfs://${contentId}/a%2f..%2fb`, invalidPath],
    [`ipfs://${contentId}/a\\b`, invalidPath],
    [`ipfs://${contentId}/a\nb`, invalidPath],
    [`ipfs://${contentId}/%00`, invalidPath],
    [`ar://${transactionId}/../x`, invalidPath],
    ["ipfs://../api/v0/id", "The ipfs: URL has no content identifier; expected ipfs://CID/path."],
    ["ipfs://name.example/1", "The ipfs: URL has no content identifier; expected ipfs://CID/path."],
    ["ar://short", "The ar: URL has no transaction id; expected ar://ID/path."],
    [`ipfs://${contentId}/${"x".repeat(3_000)}`, "The path of the URL has more than 2048 characters."],
  ])("is refused for the invalid URL %s", async (url, refusal) => {
    expect(await readWith(url)).toEqual({ ok: false, refusal, isPermanent: true });
    expect(first.paths.length + second.paths.length).toBe(0);
  });

  it.each([
    ["http://documents.example/", "has the unsupported scheme http:"],
    ["javascript:alert(1)", "has the unsupported scheme javascript:"],
    ["file:///etc/passwd", "has the unsupported scheme file:"],
    ["ftp://documents.example/1", "has the unsupported scheme ftp:"],
    ["ipns://documents.example/1", "has the unsupported scheme ipns:"],
    ["1.json", "is not a URL"],
    ["", "is not a URL"],
  ])("is refused for an unsupported scheme: %s", async (url, problem) => {
    const refusal = `The metadata URL ${problem}; expected data:, https:, ipfs: or ar:.`;
    expect(await readWith(url)).toEqual({ ok: false, refusal, isPermanent: true });
  });

  it("is refused if its host resolves to a private address", async () => {
    expect(await readWith(`https://evil.example:${privateListener.port}/`)).toMatchObject({ ok: false, isPermanent: true });
    expect(await readWith(`https://127.0.0.1:${privateListener.port}/`)).toMatchObject({ ok: false, isPermanent: true });
    expect(await readWith(`https://documents.example:${remote.port}/${"x".repeat(8_192)}`)).toMatchObject({ ok: false, isPermanent: true });
  });
});

describe("several gateways", () => {
  const url = `ipfs://${contentId}`;

  it.each([404, 429, 504])("are tried in order when one responds with %d", async (status) => {
    first.status = status;
    expect(nameOf(await readWith(url))).toBe("second");
  });

  it("are tried in order when one sends an HTML page", async () => {
    first.type = "text/html";
    expect(nameOf(await readWith(url))).toBe("second");
  });

  it("share the time limit: one that does not respond leaves time for the next", async () => {
    first.delay = 10_000;
    const start = Date.now();
    expect(nameOf(await readWith(url, { fetchMilliseconds: 1_000 }))).toBe("second");
    expect(Date.now() - start).toBeLessThan(scaleTimeLimit(1_500));
  });

  it("cause a permanent refusal only if all of them refuse permanently", async () => {
    first.status = 404;
    second.status = 410;
    expect(await readWith(url)).toEqual({
      ok: false,
      refusal: "The gateway responded with status 404; expected 200. The gateway responded with status 410; expected 200.",
      isPermanent: true,
    });
    second.status = 503;
    expect(await readWith(url)).toMatchObject({ ok: false, isPermanent: false });
  });

  it("are not tried after one sends a document that is too large", async () => {
    expect(await readWith(url, { documentBytes: 5 })).toMatchObject({ ok: false, isPermanent: true });
    expect(second.paths).toEqual([]);
  });

  it("cause a temporary refusal if none is configured", async () => {
    const refusal = "No gateway is configured for this scheme.";
    expect(await readWith(url, { ipfsGateways: [] })).toEqual({ ok: false, refusal, isPermanent: false });
  });
});

test("an unexpected error while a document is fetched is a temporary refusal", async () => {
  // No server can cause such an error: it would be a bug in the client.
  const fail = () => Promise.reject(new Error("unexpected"));
  const config = { ipfsGateways: [], arweaveGateways: [], documentBytes: 10_000, fetchMilliseconds: 2_000 };
  const read = createDocumentReader(config, { web: { fetch: fail, fetchFrom: fail } });
  expect(await read("https://documents.example/1", signal)).toEqual({
    ok: false,
    refusal: "The metadata cannot be read.",
    isPermanent: false,
  });
});
