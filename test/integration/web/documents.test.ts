import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createWebClient } from "../../../runtime/web/web.ts";
import {
  codeOf,
  fetchWith,
  isPermanent,
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

describe("a document on a public server", () => {
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

  it("is fetched after up to three redirects", async () => {
    untrusted.respond = ({ url = "" }, response) => {
      const remaining = Number(url.slice(1));
      if (remaining === 0) sendJson(response);
      else response.writeHead(302, { location: `/${remaining - 1}`, "set-cookie": "a=b" }).end();
    };
    expect(codeOf(await fetchWith(urlOf("/3")))).toBe('fetched: {"name":"A"}');
    expect(untrustedServer.requests.at(-1)?.headers.cookie).toBeUndefined();
    const before = untrustedServer.requests.length;
    const refused = await fetchWith(urlOf("/9"));
    expect(messageOf(refused)).toBe("More than 3 redirects.");
    expect(isPermanent(refused)).toBe(true);
    expect(untrustedServer.requests.length - before).toBe(4);
  });

  it("is rejected if its redirects form a cycle", async () => {
    untrusted.respond = (_, response) => response.writeHead(308, { location: urlOf("/again") }).end();
    expect(codeOf(await fetchWith(urlOf("/")))).toBe("redirects");
  });
});

describe("a URL that cannot be fetched", () => {
  it.each([
    ["http://documents.example/", "scheme", "Unsupported scheme http:; expected https:."],
    ["file:///etc/passwd", "scheme", "Unsupported scheme file:; expected https:."],
    ["https://documents.example:22/", "port", "Unsupported port 22 of documents.example; expected 443."],
    ["https://me:secret@documents.example/", "credentials", "The URL of documents.example contains a user name or password."],
    ["no url", "not-a-url", "Invalid URL; expected an https:// URL."],
  ])("is refused: %s", async (url, code, message) => {
    const refused = await createWebClient().fetch(url, limitsOf());
    expect(refused).toEqual({ ok: false, refusal: { code, message, isPermanent: true } });
  });

  it("can be retried if its host name has no address", async () => {
    const refused = await fetchWith("https://unreachable.example/");
    expect([codeOf(refused), isPermanent(refused)]).toEqual(["unknown-name", false]);
  });
});
