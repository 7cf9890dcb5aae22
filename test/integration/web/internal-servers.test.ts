import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createWebClient } from "../../../runtime/web/web.ts";
import { startSilentServer } from "../../support/https-server.ts";
import {
  codeOf,
  dependenciesOf,
  fetchWith,
  internalServer,
  isPermanent,
  limitsOf,
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

describe("an internal server's URL", () => {
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
  ])("is rejected if its host is the IP address %s", async (origin) => {
    const refused = await fetchWith(`${origin}:${internalServer.port}/latest/meta-data/`);
    expect(codeOf(refused)).toBe("literal-address");
    expect(messageOf(refused)).toMatch(/ is an IP address; expected a public host name\.$/);
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
    expect(messageOf(refused)).toBe(`evil.example resolves to a non-public address (${range}).`);
    expect(isPermanent(refused)).toBe(true);
  });

  it.each([
    ["a name with a private address", () => `https://evil.example:${internalServer.port}/`, "private-address"],
    ["an address", () => `https://127.0.0.1:${internalServer.port}/`, "literal-address"],
    ["an address without a scheme", () => `//127.0.0.1:${internalServer.port}/`, "literal-address"],
    ["http:", () => `http://127.0.0.1:${internalServer.port}/`, "scheme"],
    ["http: on the same host", () => `http://documents.example:${untrustedServer.port}/`, "scheme"],
    ["a file", () => "file:///etc/passwd", "scheme"],
    ["another port", () => "https://documents.example:8443/", "port"],
    ["a URL with credentials", () => `https://a:b@documents.example:${untrustedServer.port}/`, "credentials"],
    ["an invalid URL", () => "https://", "location"],
  ])("is rejected as a redirect to %s", async (_, target, code) => {
    untrusted.respond = (_, response) => response.writeHead(302, { location: target() }).end();
    const refused = await fetchWith(urlOf("/"), {}, dependenciesOf({ "evil.example": ["127.0.0.1"] }));
    expect(codeOf(refused)).toBe(code);
    if (code === "private-address") expect(messageOf(refused)).toMatch(/^After a redirect: evil\.example resolves to a non-public address/);
  });

  it("is not reached by a name that resolves to another address the second time", async () => {
    const otherServer = await startSilentServer(untrustedServer.port, "::1").catch(() => null);
    const resolutions = [["127.0.0.1"], ["::1"]];
    const resolved: string[] = [];
    const web = createWebClient({
      ...dependenciesOf(),
      resolve: async (hostname) => {
        resolved.push(hostname);
        return resolutions[resolved.length - 1] ?? ["::1"];
      },
    });
    expect(codeOf(await web.fetch(urlOf("/"), limitsOf()))).toBe('fetched: {"name":"A"}');
    // The name is resolved only once, because the connection uses the checked address.
    expect(resolved).toEqual(["documents.example"]);
    expect(codeOf(await web.fetch(urlOf("/"), limitsOf()))).toBe("private-address");
    resolutions.push(["127.0.0.1"], ["::1"]);
    untrusted.respond = (_, response) => response.writeHead(302, { location: "/again" }).end();
    expect(codeOf(await web.fetch(urlOf("/"), limitsOf()))).toBe("private-address");
    expect(resolved.length).toBe(4);
    expect(otherServer?.connections ?? 0).toBe(0);
    await otherServer?.close();
  });
});
