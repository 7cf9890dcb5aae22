import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { WantedTypes } from "../../../runtime/web/send-request.ts";
import { createWeb, type FetchBounds, type Fetched, type WebDependencies } from "../../../runtime/web/web.ts";
import { deadline } from "../../support/deadline.ts";
import { type Listener, startHttpsServer, startSilentServer, type TestHttpsServer, testCertificate } from "../../support/https-server.ts";

const json: WantedTypes = { header: "application/json", words: "JSON", includes: (type) => ["", "application/json"].includes(type) };
const boundsOf = (changes: Partial<FetchBounds> = {}): FetchBounds => ({
  milliseconds: 5_000,
  bytes: 1_000,
  types: json,
  signal: new AbortController().signal,
  ...changes,
});
const codeOf = (fetched: Fetched): string => (fetched.ok ? `answered: ${fetched.body}` : fetched.refusal.code);
const sentenceOf = (fetched: Fetched): string => (fetched.ok ? "" : fetched.refusal.sentence);
const isPermanent = (fetched: Fetched): boolean | null => (fetched.ok ? null : fetched.refusal.isPermanent);
const sendJson = (response: ServerResponse, body = '{"name":"A"}'): void => {
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.end(body);
};

/** The response of the untrusted server in this test. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let untrustedServer: TestHttpsServer;
/** An internal server, which no request may reach. */
let internalServer: Listener;

beforeAll(async () => {
  untrustedServer = await startHttpsServer((request, response) => answer(request, response));
  internalServer = await startSilentServer();
});
afterAll(async () => {
  await untrustedServer.close();
  await internalServer.close();
});
beforeEach(() => {
  answer = (_, response) => sendJson(response);
});
afterEach(() => {
  expect(internalServer.connections).toBe(0);
});

/** The names that resolve in these tests. The port of the internal server is accepted, so that only the check of addresses protects it. */
const worldOf = (names: Readonly<Record<string, readonly string[]>> = {}): WebDependencies => ({
  resolve: async (hostname) => names[hostname] ?? (hostname.endsWith("documents.example") ? ["127.0.0.1"] : []),
  // The test server listens on the loopback, where only its own names may reach it.
  isExempt: (address, hostname) => address === "127.0.0.1" && hostname.endsWith("documents.example"),
  ports: ["443", String(untrustedServer.port), String(internalServer.port)],
  certificates: [testCertificate],
});
const at = (path: string): string => `https://documents.example:${untrustedServer.port}${path}`;
const fetchWith = (url: string, changes?: Partial<FetchBounds>, world = worldOf()) => createWeb(world).fetch(url, boundsOf(changes));

describe("a document of a public server", () => {
  it("is fetched, without identifying headers in the request", async () => {
    const fetched = await fetchWith(at("/a?b=c#d"));
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
    answer = ({ url = "" }, response) => {
      const left = Number(url.slice(1));
      if (left === 0) sendJson(response);
      else response.writeHead(302, { location: `/${left - 1}`, "set-cookie": "a=b" }).end();
    };
    expect(codeOf(await fetchWith(at("/3")))).toBe('answered: {"name":"A"}');
    expect(untrustedServer.requests.at(-1)?.headers.cookie).toBeUndefined();
    const before = untrustedServer.requests.length;
    const refused = await fetchWith(at("/9"));
    expect(sentenceOf(refused)).toBe("More than 3 redirects.");
    expect(isPermanent(refused)).toBe(true);
    expect(untrustedServer.requests.length - before).toBe(4);
  });

  it("is rejected in a cycle of redirects", async () => {
    answer = (_, response) => response.writeHead(308, { location: at("/again") }).end();
    expect(codeOf(await fetchWith(at("/")))).toBe("redirects");
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
  ])("is rejected in the spelling %s", async (spelling) => {
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
  ])("is rejected by the name %s", async (name) => {
    const world = { ...worldOf(), resolve: async () => ["127.0.0.1"] };
    const refused = await fetchWith(`https://${name}:${internalServer.port}/`, {}, world);
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
  ])("is rejected if its name has the addresses %j", async (addresses, range) => {
    const refused = await fetchWith(`https://evil.example:${internalServer.port}/`, {}, worldOf({ "evil.example": addresses }));
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
    ["another port", () => "https://documents.example:8443/", "port"],
    ["a name and password", () => `https://a:b@documents.example:${untrustedServer.port}/`, "credentials"],
    ["an invalid URL", () => "https://", "location"],
  ])("is rejected as a redirect to %s", async (_, target, code) => {
    answer = (_, response) => response.writeHead(302, { location: target() }).end();
    const refused = await fetchWith(at("/"), {}, worldOf({ "evil.example": ["127.0.0.1"] }));
    expect(codeOf(refused)).toBe(code);
    if (code === "private-address")
      expect(sentenceOf(refused)).toMatch(/^After a redirect: evil\.example resolves to a non-public address/);
  });

  it("is not reached by a name that resolves to another address the second time", async () => {
    const elsewhere = await startSilentServer(untrustedServer.port, "::1").catch(() => null);
    const answers = [["127.0.0.1"], ["::1"]];
    const resolved: string[] = [];
    const web = createWeb({
      ...worldOf(),
      resolve: async (hostname) => {
        resolved.push(hostname);
        return answers[resolved.length - 1] ?? ["::1"];
      },
    });
    expect(codeOf(await web.fetch(at("/"), boundsOf()))).toBe('answered: {"name":"A"}');
    // Resolved once: the checked address is the one that was connected to.
    expect(resolved).toEqual(["documents.example"]);
    expect(codeOf(await web.fetch(at("/"), boundsOf()))).toBe("private-address");
    answers.push(["127.0.0.1"], ["::1"]);
    answer = (_, response) => response.writeHead(302, { location: "/again" }).end();
    expect(codeOf(await web.fetch(at("/"), boundsOf()))).toBe("private-address");
    expect(resolved.length).toBe(4);
    expect(elsewhere?.connections ?? 0).toBe(0);
    await elsewhere?.close();
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
    const refused = await fetchWith("https://gone.example/");
    expect([codeOf(refused), isPermanent(refused)]).toEqual(["unknown-name", false]);
  });
});

describe("a response that is too large", () => {
  it("is rejected by its Content-Length, before its body is read", async () => {
    answer = (_, response) => response.writeHead(200, { "content-type": "application/json", "content-length": 1_001 }).flushHeaders();
    const refused = await fetchWith(at("/"));
    expect(sentenceOf(refused)).toBe("The response of documents.example is too large: up to 1000 bytes are accepted.");
    expect(isPermanent(refused)).toBe(true);
  });

  it("is rejected if it never ends, long before the time limit", async () => {
    let sent = 0;
    answer = (_, response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write("x".repeat(1_000))) sent += 1_000;
      };
      response.on("drain", pour);
      pour();
    };
    const start = Date.now();
    expect(codeOf(await fetchWith(at("/"), { milliseconds: 20_000 }))).toBe("too-large");
    expect(Date.now() - start).toBeLessThan(deadline(10_000));
    expect(sent).toBeLessThan(10_000_000);
  });

  it("is accepted up to the last byte", async () => {
    answer = (_, response) => sendJson(response, "x".repeat(1_000));
    expect((await fetchWith(at("/"))).ok).toBe(true);
    answer = (_, response) => sendJson(response, "x".repeat(1_001));
    expect(codeOf(await fetchWith(at("/")))).toBe("too-large");
  });

  it("is rejected if its headers do not end", async () => {
    answer = ({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const pour = (): void => {
        while (!socket.destroyed && socket.write(`x-more: ${"x".repeat(1_000)}\r\n`)) {}
      };
      socket.on("drain", pour);
      pour();
    };
    const refused = await fetchWith(at("/"), { milliseconds: 20_000 });
    expect(sentenceOf(refused)).toBe("The headers of documents.example are too large: up to 16384 bytes are accepted.");
  });

  it("is rejected after endless informational responses", async () => {
    answer = ({ socket }) => {
      const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 5);
      socket.on("close", () => clearInterval(timer));
    };
    expect(codeOf(await fetchWith(at("/"), { milliseconds: 400 }))).toBe("too-slow");
  });
});

describe("a response that does not arrive", () => {
  /** The tolerance of time limits on a busy machine. */
  const patience = 2_000;
  const within = async (fetching: Promise<Fetched>, sentence: string): Promise<void> => {
    const start = Date.now();
    const refused = await fetching;
    expect(Date.now() - start).toBeGreaterThanOrEqual(390);
    expect(Date.now() - start).toBeLessThan(deadline(400 + patience));
    expect(sentenceOf(refused)).toBe(sentence);
    expect(isPermanent(refused)).toBe(false);
  };
  const late = "documents.example did not respond completely within 400 ms.";

  it("is awaited up to the time limit: no headers", async () => {
    answer = () => undefined;
    await within(fetchWith(at("/"), { milliseconds: 400 }), late);
  });

  it("is awaited up to the time limit: a byte at intervals", async () => {
    answer = (_, response) => {
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
    };
    await within(fetchWith(at("/"), { milliseconds: 400 }), late);
  });

  it("is awaited up to the time limit: a header at intervals", async () => {
    answer = ({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => socket.write("x: y\r\n"), 20);
      socket.on("close", () => clearInterval(timer));
    };
    await within(fetchWith(at("/"), { milliseconds: 400 }), late);
  });

  it("is awaited up to the time limit: one slow redirect after another", async () => {
    answer = async (_, response) => {
      await wait(250);
      response.writeHead(302, { location: "/on" }).end();
    };
    await within(fetchWith(at("/"), { milliseconds: 400 }), `After a redirect: ${late}`);
  });

  it("is awaited up to the time limit: a silent connection", async () => {
    const silence = await startSilentServer();
    const world = { ...worldOf(), ports: [String(silence.port)] };
    await within(fetchWith(`https://documents.example:${silence.port}/`, { milliseconds: 400 }, world), late);
    expect(silence.connections).toBe(1);
    await silence.close();
  });

  it("is awaited up to the time limit: a name that is never resolved", async () => {
    await within(fetchWith(at("/"), { milliseconds: 400 }, { ...worldOf(), resolve: () => new Promise(() => undefined) }), late);
  });

  it("ends immediately when the caller aborts", async () => {
    answer = () => undefined;
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    expect(codeOf(await fetchWith(at("/"), { signal: controller.signal }))).toBe("stopped");
    expect(codeOf(await fetchWith(at("/"), { signal: controller.signal }))).toBe("stopped");
  });

  it("leaves no connection open", async () => {
    let closed = false;
    answer = ({ socket }) => socket.on("close", () => (closed = true));
    await fetchWith(at("/"), { milliseconds: 200 });
    await wait(200);
    expect(closed).toBe(true);
  });
});

describe("a response of the wrong type", () => {
  it.each([
    ["text/html; charset=utf-8", "text/html"],
    ["image/svg+xml", "image/svg+xml"],
    ["APPLICATION/XHTML+XML", "application/xhtml+xml"],
  ])("is refused: %s", async (type, named) => {
    answer = (_, response) => response.writeHead(200, { "content-type": type }).end("<script>alert(1)</script>");
    const refused = await fetchWith(at("/"));
    expect(sentenceOf(refused)).toBe(`documents.example sent ${named}; expected JSON.`);
    expect(isPermanent(refused)).toBe(true);
  });

  it("is rejected if it is compressed, as a small response may expand to a huge one", async () => {
    const body = gzipSync("x".repeat(1_000_000));
    answer = (_, response) => response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(body);
    expect(sentenceOf(await fetchWith(at("/"), { bytes: 10_000 }))).toBe(
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
  ])("is rejected with status %d, permanently: %s", async (status, lasts) => {
    answer = (_, response) => response.writeHead(status).end();
    const refused = await fetchWith(at("/"));
    expect(sentenceOf(refused)).toContain(`documents.example responded with status ${status}`);
    expect(isPermanent(refused)).toBe(lasts);
  });

  it("is rejected without a trusted certificate for its name", async () => {
    const { certificates: _, ...strict } = worldOf();
    const refused = await fetchWith(at("/"), {}, strict);
    expect([codeOf(refused), isPermanent(refused)]).toEqual(["certificate", false]);
    const other = await fetchWith(
      `https://other.example:${untrustedServer.port}/`,
      {},
      { ...worldOf({ "other.example": ["127.0.0.1"] }), isExempt: () => true },
    );
    expect(sentenceOf(other)).toBe("The certificate of other.example is invalid (ERR_TLS_CERT_ALTNAME_INVALID).");
  });

  it("is rejected if no server listens or the connection breaks", async () => {
    answer = ({ socket }) => socket.destroy();
    const broken = await fetchWith(at("/"));
    expect([codeOf(broken), isPermanent(broken)]).toEqual(["connection", false]);
    const silence = await startSilentServer();
    await silence.close();
    const world = { ...worldOf(), ports: [String(silence.port)] };
    const refused = await fetchWith(`https://documents.example:${silence.port}/`, {}, world);
    expect(sentenceOf(refused)).toBe("documents.example cannot be reached (ECONNREFUSED).");
  });
});

describe("a configured gateway", () => {
  let gateway: ReturnType<typeof createServer>;
  let base: string;
  const seen: (string | undefined)[] = [];

  beforeAll(async () => {
    gateway = createServer((request, response) => {
      seen.push(request.url, request.headers.authorization);
      answer(request, response);
    });
    await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
    base = `127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    gateway.closeAllConnections();
    gateway.close();
  });
  beforeEach(() => {
    seen.length = 0;
  });

  it("may have a private address, http:, a path and credentials", async () => {
    const fetched = await createWeb().fetchFrom(`http://me:secret@${base}/deep/?key=1`, "/ipfs/Qm/a%20b", boundsOf());
    expect(fetched.ok).toBe(true);
    expect(seen).toEqual(["/deep/ipfs/Qm/a%20b?key=1", `Basic ${Buffer.from("me:secret").toString("base64")}`]);
  });

  it("may redirect within itself", async () => {
    answer = ({ url }, response) => (url === "/b" ? sendJson(response) : response.writeHead(301, { location: "/b" }).end());
    expect(codeOf(await createWeb().fetchFrom(`http://${base}`, "/a", boundsOf()))).toBe('answered: {"name":"A"}');
  });

  it.each([
    ["https:", "literal-address"],
    ["http:", "scheme"],
  ])("cannot redirect to internal servers: the target of a redirect to %s is untrusted", async (scheme, code) => {
    answer = (_, response) => response.writeHead(302, { location: `${scheme}//127.0.0.1:${internalServer.port}/` }).end();
    expect(codeOf(await createWeb(worldOf()).fetchFrom(`http://${base}`, "/a", boundsOf()))).toBe(code);
  });

  it("is the only server that receives its credentials", async () => {
    answer = ({ url }, response) => (url === "/a" ? response.writeHead(302, { location: at("/b") }).end() : sendJson(response));
    const fetched = await createWeb(worldOf()).fetchFrom(`http://me:secret@${base}`, "/a", boundsOf());
    expect(fetched.ok).toBe(true);
    expect(untrustedServer.requests.at(-1)?.headers.authorization).toBeUndefined();
  });

  it("is untrusted as the target of an untrusted server's redirect", async () => {
    answer = ({ url }, response) =>
      url === "/b"
        ? response.writeHead(302, { location: `http://${base}/admin` }).end()
        : response.writeHead(302, { location: at("/b") }).end();
    expect(codeOf(await createWeb(worldOf()).fetchFrom(`http://me:secret@${base}`, "/a", boundsOf()))).toBe("scheme");
    expect(seen.filter((_, index) => index % 2 === 0)).toEqual(["/a"]);
  });

  it("is not named if it cannot be reached or is too slow", async () => {
    const silence = await startSilentServer();
    const slow = await createWeb().fetchFrom(`http://127.0.0.1:${silence.port}`, "/a", boundsOf({ milliseconds: 100 }));
    await silence.close();
    const gone = await createWeb().fetchFrom(`http://127.0.0.1:${silence.port}`, "/a", boundsOf());
    expect([sentenceOf(slow), sentenceOf(gone)]).toEqual([
      "The gateway did not respond completely within 100 ms.",
      "The gateway cannot be reached (ECONNREFUSED).",
    ]);
  });

  it("discloses no secrets when it fails", async () => {
    answer = (_, response) => response.writeHead(500).end();
    const failed = await createWeb().fetchFrom(`http://me:secret@${base}/hidden/?key=secret`, "/a", boundsOf());
    expect(sentenceOf(failed)).toBe("The gateway responded with status 500; expected 200.");
  });
});
