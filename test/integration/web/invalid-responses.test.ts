import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startSilentServer } from "../../support/https-server.ts";
import {
  codeOf,
  dependenciesOf,
  fetchWith,
  isPermanent,
  messageOf,
  setUp,
  setUpTest,
  tearDown,
  tearDownTest,
  untrusted,
  untrustedServer,
  urlOf,
} from "./servers.ts";

beforeAll(setUp);
afterAll(tearDown);
beforeEach(setUpTest);
afterEach(tearDownTest);

describe("an invalid response", () => {
  it.each([
    ["text/html; charset=utf-8", "text/html"],
    ["image/svg+xml", "image/svg+xml"],
    ["APPLICATION/XHTML+XML", "application/xhtml+xml"],
  ])("is rejected if its type is %s", async (type, mediaType) => {
    untrusted.respond = (_, response) => response.writeHead(200, { "content-type": type }).end("<script>alert(1)</script>");
    const refused = await fetchWith(urlOf("/"));
    expect(messageOf(refused)).toBe(`documents.example sent ${mediaType}; expected JSON.`);
    expect(isPermanent(refused)).toBe(true);
  });

  it("is rejected if it is compressed, because a small response may expand to a huge one", async () => {
    const body = gzipSync("x".repeat(1_000_000));
    untrusted.respond = (_, response) =>
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(body);
    expect(messageOf(await fetchWith(urlOf("/"), { maxBytes: 10_000 }))).toBe(
      "documents.example sent content encoding gzip; expected identity.",
    );
  });

  it.each([
    [404, true],
    [410, true],
    [400, true],
    [204, true],
    [403, false],
    [429, false],
    [500, false],
    [503, false],
  ])("is rejected with status %d (permanent: %s)", async (status, permanent) => {
    untrusted.respond = (_, response) => response.writeHead(status).end();
    const refused = await fetchWith(urlOf("/"));
    expect(messageOf(refused)).toContain(`documents.example responded with status ${status}`);
    expect(isPermanent(refused)).toBe(permanent);
  });

  it("is rejected without a trusted certificate for the host name", async () => {
    const { certificates: _, ...strict } = dependenciesOf();
    const refused = await fetchWith(urlOf("/"), {}, strict);
    expect([codeOf(refused), isPermanent(refused)]).toEqual(["certificate", false]);
    const other = await fetchWith(
      `https://other.example:${untrustedServer.port}/`,
      {},
      { ...dependenciesOf({ "other.example": ["127.0.0.1"] }), isExempt: () => true },
    );
    expect(messageOf(other)).toBe("The certificate of other.example is invalid (ERR_TLS_CERT_ALTNAME_INVALID).");
  });

  it("is rejected if no server listens or the connection breaks", async () => {
    untrusted.respond = ({ socket }) => socket.destroy();
    const broken = await fetchWith(urlOf("/"));
    expect([codeOf(broken), isPermanent(broken)]).toEqual(["connection", false]);
    const silentServer = await startSilentServer();
    await silentServer.close();
    const dependencies = { ...dependenciesOf(), ports: [String(silentServer.port)] };
    const refused = await fetchWith(`https://documents.example:${silentServer.port}/`, {}, dependencies);
    expect(messageOf(refused)).toBe("documents.example cannot be reached (ECONNREFUSED).");
  });
});
