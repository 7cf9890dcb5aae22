import { Socket } from "node:net";
import pg from "pg";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { paceReading } from "../../../runtime/database/paced-reading.ts";
import { type ActiveRequest, runForRequest } from "../../../runtime/lib/active-request.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const rowCount = 8_000;
const rowBytes = 1_000;
/** With 0.1 ms per row, the server sends faster than rows are decoded, and decoding 128 KiB takes longer than one turn. */
const decodeMilliseconds = 0.1;
/** Time for the server to fill the connection's buffers before the first row is decoded. */
const headStartMilliseconds = 300;
const statement = `SELECT repeat('x', ${rowBytes}) AS value FROM generate_series(1, ${rowCount})`;

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrated: false });
  return testDatabase.drop;
});
afterEach(() => void vi.restoreAllMocks());

const startRequest = () => {
  const controller = new AbortController();
  const request: ActiveRequest = { signal: controller.signal, startStatement: () => () => undefined };
  return { request, controller };
};

const occupy = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
};

function decodeSlowly(value: string): string {
  occupy(decodeMilliseconds);
  return value;
}

/** Runs work with a connection whose values are slow to decode. */
async function withSlowClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: testDatabase.url, max: 1, types: { getTypeParser: () => decodeSlowly } });
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
    await pool.end();
  }
}

/** The max number of bytes that a connection reads in one event loop iteration while work runs. */
async function maxBytesRead({ connection: { stream } }: pg.PoolClient, work: Promise<unknown>): Promise<number> {
  if (!(stream instanceof Socket)) throw new TypeError("Expected a connection without TLS.");
  let [max, last, isRunning] = [0, stream.bytesRead, true];
  const observe = (): void => {
    max = Math.max(max, stream.bytesRead - last);
    last = stream.bytesRead;
    if (isRunning) setImmediate(observe);
  };
  setImmediate(observe);
  await work;
  isRunning = false;
  return max;
}

describe("reading a long result", () => {
  it("decodes a few chunks in one event loop iteration", async () => {
    await withSlowClient(async (client) => {
      paceReading(client, startRequest().request);
      const reading = client.query(statement);
      client.connection.stream.once("data", () => occupy(headStartMilliseconds));
      const max = await maxBytesRead(client, reading);
      expect((await reading).rows).toHaveLength(rowCount);
      // Unpaced, libuv reads up to 32 chunks of 64 KiB. A turn is timed from its first clock check, after two or three chunks.
      expect(max).toBeLessThanOrEqual(8 * 64 * 1_024);
    });
  });

  it("continues if its request is aborted, because a cancelled statement ends only when its result has been read", async () => {
    await withSlowClient(async (client) => {
      const { request, controller } = startRequest();
      paceReading(client, request);
      const reading = client.query(statement);
      client.connection.stream.once("data", () => controller.abort(new Error("The client is gone.")));
      expect((await reading).rows).toHaveLength(rowCount);
    });
  });

  it("is paced only for a request's statements", async () => {
    const pause = vi.spyOn(Socket.prototype, "pause");
    const lists = `SELECT json_agg(n) AS list FROM generate_series(1, 400000) n GROUP BY n / 100`;
    expect(await testDatabase.database.query(lists)).toHaveLength(4_001);
    expect(pause).not.toHaveBeenCalled();
    expect(await runForRequest(startRequest().request, () => testDatabase.database.query(lists))).toHaveLength(4_001);
    expect(pause).toHaveBeenCalled();
  });
});
