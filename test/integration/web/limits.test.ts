import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FetchResult } from "../../../runtime/web/web.ts";
import { startSilentServer } from "../../support/https-server.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import {
  codeOf,
  dependenciesOf,
  fetchWith,
  isPermanent,
  messageOf,
  sendJson,
  setUp,
  setUpTest,
  tearDown,
  tearDownTest,
  untrusted,
  urlOf,
} from "./servers.ts";

beforeAll(setUp);
afterAll(tearDown);
beforeEach(setUpTest);
afterEach(tearDownTest);

describe("a large response", () => {
  it("is rejected based on its Content-Length, before its body is read", async () => {
    untrusted.respond = (_, response) =>
      response.writeHead(200, { "content-type": "application/json", "content-length": 1_001 }).flushHeaders();
    const refused = await fetchWith(urlOf("/"));
    expect(messageOf(refused)).toBe("The response from documents.example is too large; expected at most 1000 bytes.");
    expect(isPermanent(refused)).toBe(true);
  });

  it("is rejected if it never ends, long before the time limit", async () => {
    let sent = 0;
    untrusted.respond = (_, response) => {
      const writeMore = (): void => {
        while (!response.destroyed && response.write("x".repeat(1_000))) sent += 1_000;
      };
      response.on("drain", writeMore);
      writeMore();
    };
    const start = Date.now();
    expect(codeOf(await fetchWith(urlOf("/"), { timeoutMilliseconds: 20_000 }))).toBe("too-large");
    expect(Date.now() - start).toBeLessThan(scaleTimeLimit(10_000));
    expect(sent).toBeLessThan(10_000_000);
  });

  it("is accepted up to exactly the size limit", async () => {
    untrusted.respond = (_, response) => sendJson(response, "x".repeat(1_000));
    expect((await fetchWith(urlOf("/"))).ok).toBe(true);
    untrusted.respond = (_, response) => sendJson(response, "x".repeat(1_001));
    expect(codeOf(await fetchWith(urlOf("/")))).toBe("too-large");
  });

  it("is rejected if its headers do not end", async () => {
    untrusted.respond = ({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const writeMore = (): void => {
        while (!socket.destroyed && socket.write(`x-more: ${"x".repeat(1_000)}\r\n`)) {}
      };
      socket.on("drain", writeMore);
      writeMore();
    };
    const refused = await fetchWith(urlOf("/"), { timeoutMilliseconds: 20_000 });
    expect(messageOf(refused)).toBe("The headers from documents.example are too large; expected at most 16384 bytes.");
  });

  it("is rejected at the time limit if informational responses never end", async () => {
    untrusted.respond = ({ socket }) => {
      const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 5);
      socket.on("close", () => clearInterval(timer));
    };
    expect(codeOf(await fetchWith(urlOf("/"), { timeoutMilliseconds: 400 }))).toBe("too-slow");
  });
});

describe("a response that does not arrive", () => {
  /** The max delay before a time limit takes effect on a busy machine. */
  const toleranceMilliseconds = 2_000;
  const expectTimeout = async (fetching: Promise<FetchResult>, message: string): Promise<void> => {
    const start = Date.now();
    const refused = await fetching;
    expect(Date.now() - start).toBeGreaterThanOrEqual(390);
    expect(Date.now() - start).toBeLessThan(scaleTimeLimit(400 + toleranceMilliseconds));
    expect(messageOf(refused)).toBe(message);
    expect(isPermanent(refused)).toBe(false);
  };
  const timeoutSentence = "documents.example did not respond completely within 400 ms.";

  it("is rejected at the time limit if no headers arrive", async () => {
    untrusted.respond = () => undefined;
    await expectTimeout(fetchWith(urlOf("/"), { timeoutMilliseconds: 400 }), timeoutSentence);
  });

  it("is rejected at the time limit if its body arrives slowly", async () => {
    untrusted.respond = (_, response) => {
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
    };
    await expectTimeout(fetchWith(urlOf("/"), { timeoutMilliseconds: 400 }), timeoutSentence);
  });

  it("is rejected at the time limit if its headers arrive slowly", async () => {
    untrusted.respond = ({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => socket.write("x: y\r\n"), 20);
      socket.on("close", () => clearInterval(timer));
    };
    await expectTimeout(fetchWith(urlOf("/"), { timeoutMilliseconds: 400 }), timeoutSentence);
  });

  it("is rejected at the time limit if every redirect is slow", async () => {
    untrusted.respond = async (_, response) => {
      await wait(250);
      response.writeHead(302, { location: "/on" }).end();
    };
    await expectTimeout(fetchWith(urlOf("/"), { timeoutMilliseconds: 400 }), `After a redirect: ${timeoutSentence}`);
  });

  it("is rejected at the time limit if the connection is silent", async () => {
    const silentServer = await startSilentServer();
    const dependencies = { ...dependenciesOf(), ports: [String(silentServer.port)] };
    await expectTimeout(
      fetchWith(`https://documents.example:${silentServer.port}/`, { timeoutMilliseconds: 400 }, dependencies),
      timeoutSentence,
    );
    expect(silentServer.connections).toBe(1);
    await silentServer.close();
  });

  it("is rejected at the time limit if the name is never resolved", async () => {
    await expectTimeout(
      fetchWith(urlOf("/"), { timeoutMilliseconds: 400 }, { ...dependenciesOf(), resolve: () => new Promise(() => undefined) }),
      timeoutSentence,
    );
  });

  it("is abandoned immediately when the caller aborts", async () => {
    untrusted.respond = () => undefined;
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    expect(codeOf(await fetchWith(urlOf("/"), { signal: controller.signal }))).toBe("stopped");
    expect(codeOf(await fetchWith(urlOf("/"), { signal: controller.signal }))).toBe("stopped");
  });

  it("leaves no connection open", async () => {
    let isClosed = false;
    untrusted.respond = ({ socket }) => socket.on("close", () => (isClosed = true));
    await fetchWith(urlOf("/"), { timeoutMilliseconds: 200 });
    await wait(200);
    expect(isClosed).toBe(true);
  });
});
