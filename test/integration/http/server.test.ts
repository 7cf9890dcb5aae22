import { Agent, get, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { createServer, serverLimits } from "../../../runtime/http/server.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { until } from "../../support/until.ts";
import { startHarness } from "./harness.ts";

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends raw bytes and reads until the server closes the connection. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk) => {
      received += chunk.toString();
    });
    socket.on("close", () => resolve(received));
    socket.on("error", reject);
  });
}

const request = (port: number, agent: Agent, path = "/") =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: "127.0.0.1", agent, path }, resolve).on("error", reject);
  });

describe("a server", () => {
  it("finishes requests in flight when it stops, and accepts no new ones", async () => {
    let arrived = 0;
    const http = createServer(async (_request, response) => {
      arrived += 1;
      await wait(300);
      response.end("finished");
    });
    const { port } = await http.listen(0, "127.0.0.1");
    const agent = new Agent({ keepAlive: true, maxSockets: 5 });
    const idle = await request(port, agent);
    await text(idle);
    const inFlight = request(port, agent);
    await until("two requests to arrive", async () => arrived === 2);
    const startedAt = performance.now();
    const stopped = http.stop();
    expect(http.stop()).toBe(stopped);
    await expect(request(port, new Agent())).rejects.toThrow("ECONNREFUSED");
    expect(await text(await inFlight)).toBe("finished");
    await stopped;
    // Far below the 65 s keep-alive timeout.
    expect(performance.now() - startedAt).toBeLessThan(scaleTimeLimit(10_000));
    agent.destroy();
  });

  it("aborts unfinished requests when the shutdown time limit expires", async () => {
    let hasArrived = false;
    const neverResponds = () => {
      hasArrived = true;
    };
    const http = createServer(neverResponds, { ...serverLimits, stopMilliseconds: 200 });
    const { port } = await http.listen(0, "127.0.0.1");
    const inFlight = request(port, new Agent()).catch((error: Error) => error.message);
    await until("the request to arrive", async () => hasArrived);
    await http.stop();
    expect(await inFlight).toMatch(/hang up|ECONNRESET/);
  });

  it("responds with the envelope to malformed requests: oversized headers, bytes that are not HTTP, incomplete headers", async () => {
    const http = createServer((_request, response) => response.end(), { ...serverLimits, headerMilliseconds: 500, headerBytes: 8192 });
    const { port } = await http.listen(0, "127.0.0.1");
    const large = await exchange(port, `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${"a".repeat(9000)}\r\n\r\n`);
    expect(large).toContain("HTTP/1.1 431");
    expect(large).toContain("8192 bytes");
    const notHttp = await exchange(port, "\x16\x03\x01 hello\r\n\r\n");
    expect(notHttp).toContain("HTTP/1.1 400");
    const slow = await exchange(port, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
    expect(slow).toContain("HTTP/1.1 408");
    for (const response of [large, notHttp, slow]) {
      const [head = "", body = ""] = response.split("\r\n\r\n");
      expect(head).toContain("application/json");
      expect(JSON.parse(body)).toMatchObject({ data: null, error: true });
    }
    await http.stop();
  });

  it("has the same limits for connections that another process accepted, and finishes their requests when it stops", async () => {
    const waiting: (() => void)[] = [];
    const http = createServer(
      async (request, response) => {
        if (request.url === "/slow") await new Promise<void>((resolve) => waiting.push(resolve));
        response.end("finished");
      },
      { ...serverLimits, headerMilliseconds: 500 },
    );
    const listening = createTcpServer({ allowHalfOpen: true }, http.accept);
    const { port } = await new Promise<AddressInfo>((resolve) =>
      listening.listen(0, "127.0.0.1", () => resolve(listening.address() as AddressInfo)),
    );
    expect(await exchange(port, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")).toContain("HTTP/1.1 408");
    const agent = new Agent({ keepAlive: true });
    expect(await text(await request(port, agent))).toBe("finished");
    const inFlight = request(port, agent, "/slow");
    await until("the request to arrive", () => waiting.length === 1);
    let hasStopped = false;
    const stopped = http.stop().then(() => {
      hasStopped = true;
    });
    await wait(100);
    expect(hasStopped).toBe(false);
    waiting[0]?.();
    expect(await text(await inFlight)).toBe("finished");
    await stopped;
    agent.destroy();
    listening.close();
  });

  it("responds with the envelope to unusual request targets", async () => {
    const app = await startHarness({ getAllChains: async () => ({ items: [] }) });
    const http = createServer(app.listener);
    const { port } = await http.listen(0, "127.0.0.1");
    const send = (line: string, host = "Host: x\r\n") =>
      exchange(port, `${line} HTTP/1.1\r\n${host}Authorization: Bearer ${app.key}\r\nConnection: close\r\n\r\n`);
    expect(await send("GET http://x/v1/chains/")).toContain('"error":false');
    expect(await send("GET *")).toContain("HTTP/1.1 400");
    expect(await send("OPTIONS *")).toContain("HTTP/1.1 204");
    expect(await send("BREW /v1/chains/")).toContain("HTTP/1.1 400");
    expect(await send("TRACE /v1/chains/")).toContain("HTTP/1.1 405");
    const withoutHost = await send("GET /v1/chains/", "");
    expect(withoutHost).toContain("HTTP/1.1 400");
    expect(withoutHost).toContain("Host header");
    await http.stop();
    await app.end();
  });
});
