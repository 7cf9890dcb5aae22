import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { pageDepth } from "../../../runtime/api/page-depth.ts";
import { sendBody } from "../../../runtime/http/envelope.ts";
import { createServer, serverLimits } from "../../../runtime/http/server.ts";
import { createSlowReaders } from "../../../runtime/http/slow-readers.ts";
import { until } from "../../support/until.ts";
import { errorEnvelope, startHarness } from "./harness.ts";

/** More than both sockets' buffers hold. */
const body = Buffer.alloc(64 * 1024 * 1024, "x");
const limits = { ...serverLimits, readBytesPerSecond: 1024, readWindowMilliseconds: 1_500 };
const startServer = async () => {
  const http = createServer((_request, response) => sendBody(response, 200, "text/plain", body), limits);
  const { port } = await http.listen(0, "127.0.0.1");
  return { http, port };
};
const openConnections = (http: ReturnType<typeof createServer>): Promise<number> =>
  new Promise((resolve) => http.server.getConnections((_error, count) => resolve(count)));

describe("a client", () => {
  it("is disconnected if it stops reading", async () => {
    const { http, port } = await startServer();
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    socket.on("error", () => undefined);
    socket.pause();
    await until("the connection to be open", async () => (await openConnections(http)) === 1);
    // This takes much less than the two-minute idle timeout.
    await until("the connection to be closed", async () => (await openConnections(http)) === 0);
    socket.destroy();
    await http.stop();
  });

  it("receives the entire response if it reads slowly but above the minimum rate", async () => {
    const { http, port } = await startServer();
    let received = 0;
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
    socket.on("data", (chunk) => {
      received += chunk.length;
      // With about 64 KiB per pause, the body takes several windows.
      socket.pause();
      setTimeout(() => socket.resume(), 5);
    });
    await new Promise((resolve) => socket.once("close", resolve));
    expect(received).toBeGreaterThan(body.length);
    await http.stop();
  });
});

describe("the slow reader check", () => {
  /** Watches a response with bytes that wait to be sent, and records when its connection is destroyed. */
  const watchResponse = () => {
    const clock = { milliseconds: 0, now: () => clock.milliseconds };
    const destroyed: number[] = [];
    const socket = { bytesWritten: 0, writableLength: 500, destroy: () => void destroyed.push(clock.milliseconds) };
    const response = { socket, writableLength: 500, once: () => undefined };
    const slowReaders = createSlowReaders({ readBytesPerSecond: 10, readWindowMilliseconds: 1_000 }, clock);
    slowReaders.watch(response as never);
    const checkAt = (milliseconds: number, taken: number): void => {
      clock.milliseconds = milliseconds;
      socket.bytesWritten = taken + socket.writableLength;
      slowReaders.check();
    };
    return { response, checkAt, destroyed };
  };

  it("measures only complete windows during which bytes wait", () => {
    const { response, checkAt, destroyed } = watchResponse();
    checkAt(0, 0);
    // Ten bytes in a second are just enough.
    checkAt(1_000, 10);
    // While nothing waits, no window is measured.
    response.writableLength = 0;
    checkAt(2_000, 10);
    response.writableLength = 490;
    checkAt(2_500, 10);
    checkAt(3_499, 10);
    expect(destroyed).toEqual([]);
    checkAt(3_500, 10);
    expect(destroyed).toEqual([3_500]);
  });

  it("disconnects a client that has read nothing for one window, even if it read quickly before", () => {
    const { checkAt, destroyed } = watchResponse();
    for (const [milliseconds, taken] of [
      [0, 0],
      [500, 100],
      [1_000, 100],
    ] as const) {
      checkAt(milliseconds, taken);
      expect(destroyed).toEqual([]);
    }
    // The client read nothing in the last second.
    checkAt(1_500, 100);
    expect(destroyed).toEqual([1_500]);
  });
});

describe("a deep page", () => {
  it("returns 400 with its list's max depth", async () => {
    const harness = await startHarness(
      { getLogEventsByAddress: async () => ({ items: [] }), getTokenHolders: async () => ({ items: [] }) },
      { pageDepth },
    );
    try {
      const address = `0x${"a1".repeat(20)}`;
      const lists = [
        { path: `events/address/${address}`, deepest: 10_000, setting: "locatedRows" },
        { path: `tokens/${address}/token_holders_v2`, deepest: 100, setting: "skippedRows" },
      ];
      for (const { path, deepest, setting } of lists) {
        const get = (page: number) => harness.get(`/v1/demo/${path}/?page-size=1000&page-number=${page}`);
        expect((await get(deepest)).status).toBe(200);
        const { status, body: refused } = await get(2_147_483_647);
        const message = `Page too deep: 2147483647000 rows before it; the maximum is ${deepest * 1000} (limits.${setting}); request a smaller range or use a filter.`;
        expect([status, refused]).toEqual([400, errorEnvelope(400, message)]);
        expect((await get(deepest + 1)).status).toBe(400);
      }
    } finally {
      await harness.end();
    }
  });
});
