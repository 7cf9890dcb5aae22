import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AcceptedTypes } from "../../../runtime/web/send-request.ts";
import { createWeb, type FetchBounds, type Fetched, type WebDependencies } from "../../../runtime/web/web.ts";
import { deadline } from "../../support/deadline.ts";
import { type Listener, startHttpsServer, startSilentServer, type TestHttpsServer, testCertificate } from "../../support/https-server.ts";

const json: AcceptedTypes = {
  header: "application/json",
  description: "JSON",
  includes: (type) => ["", "application/json"].includes(type),
};
const boundsOf = (changes: Partial<FetchBounds> = {}): FetchBounds => ({
  milliseconds: 5_000,
  bytes: 1_000,
  types: json,
  signal: new AbortController().signal,
  ...changes,
});
const codeOf = (fetched: Fetched): string => (fetched.ok ? `fetched: ${fetched.body}` : fetched.refusal.code);
const sentenceOf = (fetched: Fetched): string => (fetched.ok ? "" : fetched.refusal.sentence);
const isPermanent = (fetched: Fetched): boolean | null => (fetched.ok ? null : fetched.refusal.isPermanent);
const sendJson = (response: ServerResponse, body = '{"name":"A"}'): void => {
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.end(body);
};

/** Sends the response of the untrusted server in the current test. */
let respond: (request: IncomingMessage, response: ServerResponse) => void;
let untrustedServer: TestHttpsServer;
/** An internal server, which no request may reach. */
let internalServer: Listener;

beforeAll(async () => {
  untrustedServer = await startHttpsServer((request, response) => respond(request, response));
  internalServer = await startSilentServer();
});
afterAll(async () => {
  await untrustedServer.close();
  await internalServer.close();
});
beforeEach(() => {
  respond = (_, response) => sendJson(response);
});
afterEach(() => {
  expect(internalServer.connections).toBe(0);
});

/** The names that resolve in these tests. The port of the internal server is accepted, so that only the check of addresses protects it. */
const dependenciesOf = (names: Readonly<Record<string, readonly string[]>> = {}): WebDependencies => ({
  resolve: async (hostname) => names[hostname] ?? (hostname.endsWith("documents.example") ? ["127.0.0.1"] : []),
  // The test server listens on the loopback address, to which only its own names may resolve.
  isExempt: (address, hostname) => address === "127.0.0.1" && hostname.endsWith("documents.example"),
  ports: ["443", String(untrustedServer.port), String(internalServer.port)],
  certificates: [testCertificate],
});
const urlOf = (path: string): string => `https://documents.example:${untrustedServer.port}${path}`;
const fetchWith = (url: string, changes?: Partial<FetchBounds>, dependencies = dependenciesOf()) =>
  createWeb(dependencies).fetch(url, boundsOf(changes));

describe("a document of a public server", () => {
  it("is fetched, without identifying headers in the request", async () => {
    const fetched = await fetchWith(urlOf("/a?b=c#d"));
    expect(fetched).toEqual({ ok: true, body: Buffer.from('{"name":"A"}'), type: "application/json" });
    const request = untrustedServer.requests.at(-1);
    expect([request?.method, request?.url]).toEqual(["GET", "/a?b=c"]);
    expect(request?.headers).toEqual({
      host: `documents.example:${untrustedServer.port}`,
      connection: "close",
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "ashlar",
    });
  });

  it("may be up to three redirects away", async () => {
    respond = ({ url = "" }, response) => {
      const remaining = Number(url.slice(1));
      if (remaining === 0) sendJson(response);
      else response.writeHead(302, { location: `/${remaining - 1}`, "set-cookie": "a=b" }).end();
    };
    expect(codeOf(await fetchWith(urlOf("/3")))).toBe('fetched: {"name":"A"}');
    expect(untrustedServer.requests.at(-1)?.headers.cookie).toBeUndefined();
    const before = untrustedServer.requests.length;
    const refused = await fetchWith(urlOf("/9"));
    expect(sentenceOf(refused)).toBe("More than 3 redirects.");
    expect(isPermanent(refused)).toBe(true);
    expect(untrustedServer.requests.length - before).toBe(4);
  });

  it("is rejected in a cycle of redirects", async () => {
    respond = (_, response) => response.writeHead(308, { location: urlOf("/again") }).end();
    expect(codeOf(await fetchWith(urlOf("/")))).toBe("redirects");
  });
});

describe("a URL of an internal server", () => {
  it.each([
    "https://127.0.0.1",
    "https://2130706433",
    "https://0x7f000001",
    "https://0177.0.0.1",
    "https://127.1",
    "https://127.0.0.1.",
    "https://①②⑦.0.0.1",
    "https://0",
    "https://[::1]",
    "https://[::ffff:127.0.0.1]",
    "https://[::ffff:7f00:1]",
    "https://[64:ff9b::7f00:1]",
    "https://169.254.169.254",
    "https://[fd00:ec2::254]",
    "https://8.8.8.8",
  ])("is rejected if its host is written as %s", async (spelling) => {
    const refused = await fetchWith(`${spelling}:${internalServer.port}/latest/meta-data/`);
    expect(codeOf(refused)).toBe("literal-address");
    expect(sentenceOf(refused)).toMatch(/ is an IP address; expected a public host name\.$/);
    expect(isPermanent(refused)).toBe(true);
  });

  it.each([
    "localhost",
    "localhost.",
    "a.localhost",
    "LOCALHOST",
    "metadata",
    "metadata.google.internal",
    "printer.local",
    "router.home.arpa",
    "documents.example.",
  ])("is rejected if its host name is %s", async (name) => {
    const dependencies = { ...dependenciesOf(), resolve: async () => ["127.0.0.1"] };
    const refused = await fetchWith(`https://${name}:${internalServer.port}/`, {}, dependencies);
    expect(codeOf(refused)).toBe("local-name");
    expect(isPermanent(refused)).toBe(true);
  });

  it.each([
    [["127.0.0.1"], "loopback"],
    [["::1"], "loopback"],
    [["169.254.169.254"], "linkLocal"],
    [["fd00:ec2::254"], "uniqueLocal"],
    [["0.0.0.0"], "unspecified"],
    [["::ffff:127.0.0.1"], "ipv4Mapped"],
    [["1.1.1.1", "127.0.0.1"], "loopback"],
    [["2606:4700::1111", "1.1.1.1", "10.0.0.1"], "private"],
    [["1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "127.0.0.1"], "loopback"],
  ])("is rejected if its host name resolves to %j", async (addresses, range) => {
    const refused = await fetchWith(`https://evil.example:${internalServer.port}/`, {}, dependenciesOf({ "evil.example": addresses }));
    expect(sentenceOf(refused)).toBe(`evil.example resolves to a non-public address (${range}).`);
    expect(isPermanent(refused)).toBe(true);
  });

  it.each([
    ["a name of a private address", () => `https://evil.example:${internalServer.port}/`, "private-address"],
    ["an address", () => `https://127.0.0.1:${internalServer.port}/`, "literal-address"],
    ["an address without scheme", () => `//127.0.0.1:${internalServer.port}/`, "literal-address"],
    ["http:", () => `http://127.0.0.1:${internalServer.port}/`, "scheme"],
    ["http: on the same host", () => `http://documents.example:${untrustedServer.port}/`, "scheme"],
    ["a file", () => "file:///etc/passwd", "scheme"],
    ["a different port", () => "https://documents.example:8443/", "port"],
    ["a name and password", () => `https://a:b@documents.example:${untrustedServer.port}/`, "credentials"],
    ["an invalid URL", () => "https://", "location"],
  ])("is rejected as a redirect to %s", async (_, target, code) => {
    respond = (_, response) => response.writeHead(302, { location: target() }).end();
    const refused = await fetchWith(urlOf("/"), {}, dependenciesOf({ "evil.example": ["127.0.0.1"] }));
    expect(codeOf(refused)).toBe(code);
    if (code === "private-address")
      expect(sentenceOf(refused)).toMatch(/^After a redirect: evil\.example resolves to a non-public address/);
  });

  it("is not reached by a name that resolves to a different address the second time", async () => {
    const otherServer = await startSilentServer(untrustedServer.port, "::1").catch(() => null);
    const resolutions = [["127.0.0.1"], ["::1"]];
    const resolved: string[] = [];
    const web = createWeb({
      ...dependenciesOf(),
      resolve: async (hostname) => {
        resolved.push(hostname);
        return resolutions[resolved.length - 1] ?? ["::1"];
      },
    });
    expect(codeOf(await web.fetch(urlOf("/"), boundsOf()))).toBe('fetched: {"name":"A"}');
    // The name is resolved once: the connection uses the checked address.
    expect(resolved).toEqual(["documents.example"]);
    expect(codeOf(await web.fetch(urlOf("/"), boundsOf()))).toBe("private-address");
    resolutions.push(["127.0.0.1"], ["::1"]);
    respond = (_, response) => response.writeHead(302, { location: "/again" }).end();
    expect(codeOf(await web.fetch(urlOf("/"), boundsOf()))).toBe("private-address");
    expect(resolved.length).toBe(4);
    expect(otherServer?.connections ?? 0).toBe(0);
    await otherServer?.close();
  });
});

describe("a URL that cannot be fetched", () => {
  it.each([
    ["http://documents.example/", "scheme", "Unsupported scheme http:; expected https:."],
    ["file:///etc/passwd", "scheme", "Unsupported scheme file:; expected https:."],
    ["https://documents.example:22/", "port", "Unsupported port 22 of documents.example; expected 443."],
    ["https://me:secret@documents.example/", "credentials", "The URL of documents.example contains a user name or password."],
    ["no url", "not-a-url", "Invalid URL; expected an https:// URL."],
  ])("is refused: %s", async (url, code, sentence) => {
    const refused = await createWeb().fetch(url, boundsOf());
    expect(refused).toEqual({ ok: false, refusal: { code, sentence, isPermanent: true } });
  });

  it("may be retried if its name has no address", async () => {
    const refused = await fetchWith("https://unreachable.example/");
    expect([codeOf(refused), isPermanent(refused)]).toEqual(["unknown-name", false]);
  });
});

describe("a large response", () => {
  it("is rejected by its Content-Length, before its body is read", async () => {
    respond = (_, response) => response.writeHead(200, { "content-type": "application/json", "content-length": 1_001 }).flushHeaders();
    const refused = await fetchWith(urlOf("/"));
    expect(sentenceOf(refused)).toBe("The response of documents.example is too large; expected at most 1000 bytes.");
    expect(isPermanent(refused)).toBe(true);
  });

  it("is rejected if it never ends, long before the time limit", async () => {
    let sent = 0;
    respond = (_, response) => {
      const writeMore = (): void => {
        while (!response.destroyed && response.write("x".repeat(1_000))) sent += 1_000;
      };
      response.on("drain", writeMore);
      writeMore();
    };
    const start = Date.now();
    expect(codeOf(await fetchWith(urlOf("/"), { milliseconds: 20_000 }))).toBe("too-large");
    expect(Date.now() - start).toBeLessThan(deadline(10_000));
    expect(sent).toBeLessThan(10_000_000);
  });

  it("is accepted up to exactly the size limit", async () => {
    respond = (_, response) => sendJson(response, "x".repeat(1_000));
    expect((await fetchWith(urlOf("/"))).ok).toBe(true);
    respond = (_, response) => sendJson(response, "x".repeat(1_001));
    expect(codeOf(await fetchWith(urlOf("/")))).toBe("too-large");
  });

  it("is rejected if its headers do not end", async () => {
    respond = ({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const writeMore = (): void => {
        while (!socket.destroyed && socket.write(`x-more: ${"x".repeat(1_000)}\r\n`)) {}
      };
      socket.on("drain", writeMore);
      writeMore();
    };
    const refused = await fetchWith(urlOf("/"), { milliseconds: 20_000 });
    expect(sentenceOf(refused)).toBe("The headers of documents.example are too large; expected at most 16384 bytes.");
  });

  it("is rejected after endless informational responses", async () => {
    respond = ({ socket }) => {
      const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 5);
      socket.on("close", () => clearInterval(timer));
    };
    expect(codeOf(await fetchWith(urlOf("/"), { milliseconds: 400 }))).toBe("too-slow");
  });
});

describe("a response that does not arrive", () => {
  /** How much later a time limit may take effect on a busy machine. */
  const toleranceMilliseconds = 2_000;
  const expectTimeout = async (fetching: Promise<Fetched>, sentence: string): Promise<void> => {
    const start = Date.now();
    const refused = await fetching;
    expect(Date.now() - start).toBeGreaterThanOrEqual(390);
    expect(Date.now() - start).toBeLessThan(deadline(400 + toleranceMilliseconds));
    expect(sentenceOf(refused)).toBe(sentence);
    expect(isPermanent(refused)).toBe(false);
  };
  const timeoutSentence = "documents.example did not respond completely within 400 ms.";

  it("is rejected at the time limit: no headers", async () => {
    respond = () => undefined;
    await expectTimeout(fetchWith(urlOf("/"), { milliseconds: 400 }), timeoutSentence);
  });

  it("is rejected at the time limit: a byte at intervals", async () => {
    respond = (_, response) => {
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
    };
    await expectTimeout(fetchWith(urlOf("/"), { milliseconds: 400 }), timeoutSentence);
  });

  it("is rejected at the time limit: a header at intervals", async () => {
    respond = ({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => socket.write("x: y\r\n"), 20);
      socket.on("close", () => clearInterval(timer));
    };
    await expectTimeout(fetchWith(urlOf("/"), { milliseconds: 400 }), timeoutSentence);
  });

  it("is rejected at the time limit: one slow redirect after another", async () => {
    respond = async (_, response) => {
      await wait(250);
      response.writeHead(302, { location: "/on" }).end();
    };
    await expectTimeout(fetchWith(urlOf("/"), { milliseconds: 400 }), `After a redirect: ${timeoutSentence}`);
  });

  it("is rejected at the time limit: a silent connection", async () => {
    const silentServer = await startSilentServer();
    const dependencies = { ...dependenciesOf(), ports: [String(silentServer.port)] };
    await expectTimeout(fetchWith(`https://documents.example:${silentServer.port}/`, { milliseconds: 400 }, dependencies), timeoutSentence);
    expect(silentServer.connections).toBe(1);
    await silentServer.close();
  });

  it("is rejected at the time limit: a name that is never resolved", async () => {
    await expectTimeout(
      fetchWith(urlOf("/"), { milliseconds: 400 }, { ...dependenciesOf(), resolve: () => new Promise(() => undefined) }),
      timeoutSentence,
    );
  });

  it("is abandoned immediately when the caller aborts", async () => {
    respond = () => undefined;
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    expect(codeOf(await fetchWith(urlOf("/"), { signal: controller.signal }))).toBe("stopped");
    expect(codeOf(await fetchWith(urlOf("/"), { signal: controller.signal }))).toBe("stopped");
  });

  it("leaves no connection open", async () => {
    let closed = false;
    respond = ({ socket }) => socket.on("close", () => (closed = true));
    await fetchWith(urlOf("/"), { milliseconds: 200 });
    await wait(200);
    expect(closed).toBe(true);
  });
});

describe("an invalid response", () => {
  it.each([
    ["text/html; charset=utf-8", "text/html"],
    ["image/svg+xml", "image/svg+xml"],
    ["APPLICATION/XHTML+XML", "application/xhtml+xml"],
  ])("is refused with the type %s", async (type, mediaType) => {
    respond = (_, response) => response.writeHead(200, { "content-type": type }).end("<script>alert(1)</script>");
    const refused = await fetchWith(urlOf("/"));
    expect(sentenceOf(refused)).toBe(`documents.example sent ${mediaType}; expected JSON.`);
    expect(isPermanent(refused)).toBe(true);
  });

  it("is rejected if it is compressed, because a small response may expand to a huge one", async () => {
    const body = gzipSync("x".repeat(1_000_000));
    respond = (_, response) => response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(body);
    expect(sentenceOf(await fetchWith(urlOf("/"), { bytes: 10_000 }))).toBe(
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
  ])("is rejected with status %d, permanently: %s", async (status, permanent) => {
    respond = (_, response) => response.writeHead(status).end();
    const refused = await fetchWith(urlOf("/"));
    expect(sentenceOf(refused)).toContain(`documents.example responded with status ${status}`);
    expect(isPermanent(refused)).toBe(permanent);
  });

  it("is rejected without a trusted certificate for its name", async () => {
    const { certificates: _, ...strict } = dependenciesOf();
    const refused = await fetchWith(urlOf("/"), {}, strict);
    expect([codeOf(refused), isPermanent(refused)]).toEqual(["certificate", false]);
    const other = await fetchWith(
      `https://other.example:${untrustedServer.port}/`,
      {},
      { ...dependenciesOf({ "other.example": ["127.0.0.1"] }), isExempt: () => true },
    );
    expect(sentenceOf(other)).toBe("The certificate of other.example is invalid (ERR_TLS_CERT_ALTNAME_INVALID).");
  });

  it("is rejected if no server listens or the connection breaks", async () => {
    respond = ({ socket }) => socket.destroy();
    const broken = await fetchWith(urlOf("/"));
    expect([codeOf(broken), isPermanent(broken)]).toEqual(["connection", false]);
    const silentServer = await startSilentServer();
    await silentServer.close();
    const dependencies = { ...dependenciesOf(), ports: [String(silentServer.port)] };
    const refused = await fetchWith(`https://documents.example:${silentServer.port}/`, {}, dependencies);
    expect(sentenceOf(refused)).toBe("documents.example cannot be reached (ECONNREFUSED).");
  });
});

describe("a configured gateway", () => {
  let gateway: ReturnType<typeof createServer>;
  let base: string;
  const received: (string | undefined)[] = [];

  beforeAll(async () => {
    gateway = createServer((request, response) => {
      received.push(request.url, request.headers.authorization);
      respond(request, response);
    });
    await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
    base = `127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    gateway.closeAllConnections();
    gateway.close();
  });
  beforeEach(() => {
    received.length = 0;
  });

  it("may have a private address, http:, a path and credentials", async () => {
    const fetched = await createWeb().fetchFrom(`http://me:secret@${base}/deep/?key=1`, "/ipfs/Qm/a%20b", boundsOf());
    expect(fetched.ok).toBe(true);
    expect(received).toEqual(["/deep/ipfs/Qm/a%20b?key=1", `Basic ${Buffer.from("me:secret").toString("base64")}`]);
  });

  it("may redirect to its own paths", async () => {
    respond = ({ url }, response) => (url === "/b" ? sendJson(response) : response.writeHead(301, { location: "/b" }).end());
    expect(codeOf(await createWeb().fetchFrom(`http://${base}`, "/a", boundsOf()))).toBe('fetched: {"name":"A"}');
  });

  it.each([
    ["https:", "literal-address"],
    ["http:", "scheme"],
  ])("cannot redirect to internal servers: the target of a redirect to %s is untrusted", async (scheme, code) => {
    respond = (_, response) => response.writeHead(302, { location: `${scheme}//127.0.0.1:${internalServer.port}/` }).end();
    expect(codeOf(await createWeb(dependenciesOf()).fetchFrom(`http://${base}`, "/a", boundsOf()))).toBe(code);
  });

  it("is the only server that receives its credentials", async () => {
    respond = ({ url }, response) => (url === "/a" ? response.writeHead(302, { location: urlOf("/b") }).end() : sendJson(response));
    const fetched = await createWeb(dependenciesOf()).fetchFrom(`http://me:secret@${base}`, "/a", boundsOf());
    expect(fetched.ok).toBe(true);
    expect(untrustedServer.requests.at(-1)?.headers.authorization).toBeUndefined();
  });

  it("is untrusted as the target of an untrusted server's redirect", async () => {
    respond = ({ url }, response) =>
      url === "/b"
        ? response.writeHead(302, { location: `http://${base}/admin` }).end()
        : response.writeHead(302, { location: urlOf("/b") }).end();
    expect(codeOf(await createWeb(dependenciesOf()).fetchFrom(`http://me:secret@${base}`, "/a", boundsOf()))).toBe("scheme");
    expect(received.filter((_, index) => index % 2 === 0)).toEqual(["/a"]);
  });

  it("is not identified in errors if it cannot be reached or is too slow", async () => {
    const silentServer = await startSilentServer();
    const slow = await createWeb().fetchFrom(`http://127.0.0.1:${silentServer.port}`, "/a", boundsOf({ milliseconds: 100 }));
    await silentServer.close();
    const unreachable = await createWeb().fetchFrom(`http://127.0.0.1:${silentServer.port}`, "/a", boundsOf());
    expect([sentenceOf(slow), sentenceOf(unreachable)]).toEqual([
      "The gateway did not respond completely within 100 ms.",
      "The gateway cannot be reached (ECONNREFUSED).",
    ]);
  });

  it("discloses no secrets when it fails", async () => {
    respond = (_, response) => response.writeHead(500).end();
    const failed = await createWeb().fetchFrom(`http://me:secret@${base}/hidden/?key=secret`, "/a", boundsOf());
    expect(sentenceOf(failed)).toBe("The gateway responded with status 500; expected 200.");
  });
});
