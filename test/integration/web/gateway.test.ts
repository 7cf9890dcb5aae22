import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createWebClient } from "../../../runtime/web/web.ts";
import { startSilentServer } from "../../support/https-server.ts";
import {
  codeOf,
  dependenciesOf,
  internalServer,
  limitsOf,
  messageOf,
  sendJson,
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

describe("a configured gateway", () => {
  let gateway: ReturnType<typeof createServer>;
  let base: string;
  const received: (string | undefined)[] = [];

  beforeAll(async () => {
    gateway = createServer((request, response) => {
      received.push(request.url, request.headers.authorization);
      untrusted.respond(request, response);
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

  it("may use a private address, http:, a path and credentials", async () => {
    const fetched = await createWebClient().fetchFrom(`http://me:secret@${base}/deep/?key=1`, "/ipfs/Qm/a%20b", limitsOf());
    expect(fetched.ok).toBe(true);
    expect(received).toEqual(["/deep/ipfs/Qm/a%20b?key=1", `Basic ${Buffer.from("me:secret").toString("base64")}`]);
  });

  it("may redirect to its own paths", async () => {
    untrusted.respond = ({ url }, response) => (url === "/b" ? sendJson(response) : response.writeHead(301, { location: "/b" }).end());
    expect(codeOf(await createWebClient().fetchFrom(`http://${base}`, "/a", limitsOf()))).toBe('fetched: {"name":"A"}');
  });

  it.each([
    ["https:", "literal-address"],
    ["http:", "scheme"],
  ])("cannot redirect to internal servers with %s, because a redirect's target is untrusted", async (scheme, code) => {
    untrusted.respond = (_, response) => response.writeHead(302, { location: `${scheme}//127.0.0.1:${internalServer.port}/` }).end();
    expect(codeOf(await createWebClient(dependenciesOf()).fetchFrom(`http://${base}`, "/a", limitsOf()))).toBe(code);
  });

  it("is the only server that receives its credentials", async () => {
    untrusted.respond = ({ url }, response) =>
      url === "/a" ? response.writeHead(302, { location: urlOf("/b") }).end() : sendJson(response);
    const fetched = await createWebClient(dependenciesOf()).fetchFrom(`http://me:secret@${base}`, "/a", limitsOf());
    expect(fetched.ok).toBe(true);
    expect(untrustedServer.requests.at(-1)?.headers.authorization).toBeUndefined();
  });

  it("is untrusted as the target of a redirect from an untrusted server", async () => {
    untrusted.respond = ({ url }, response) =>
      url === "/b"
        ? response.writeHead(302, { location: `http://${base}/admin` }).end()
        : response.writeHead(302, { location: urlOf("/b") }).end();
    expect(codeOf(await createWebClient(dependenciesOf()).fetchFrom(`http://me:secret@${base}`, "/a", limitsOf()))).toBe("scheme");
    expect(received.filter((_, index) => index % 2 === 0)).toEqual(["/a"]);
  });

  it("is not identified in errors if it cannot be reached or is too slow", async () => {
    const silentServer = await startSilentServer();
    const slow = await createWebClient().fetchFrom(`http://127.0.0.1:${silentServer.port}`, "/a", limitsOf({ timeoutMilliseconds: 100 }));
    await silentServer.close();
    const unreachable = await createWebClient().fetchFrom(`http://127.0.0.1:${silentServer.port}`, "/a", limitsOf());
    expect([messageOf(slow), messageOf(unreachable)]).toEqual([
      "The gateway did not respond completely within 100 ms.",
      "The gateway cannot be reached (ECONNREFUSED).",
    ]);
  });

  it("discloses no secrets when it fails", async () => {
    untrusted.respond = (_, response) => response.writeHead(500).end();
    const failed = await createWebClient().fetchFrom(`http://me:secret@${base}/hidden/?key=secret`, "/a", limitsOf());
    expect(messageOf(failed)).toBe("The gateway responded with status 500; expected 200.");
  });
});
