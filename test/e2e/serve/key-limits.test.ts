import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createKeys, type Keys } from "../../../runtime/http/keys.ts";
import { sleep } from "../../../runtime/lib/async.ts";
import type { ServerProcess } from "../../support/server-process.ts";
import { until } from "../../support/until.ts";
import { blockPath, type IndexedBlock, indexBlock } from "./indexed-block.ts";
import { isResponse, type Outcome, request, unlimited } from "./load.ts";
import { processesOf } from "./processes-of.ts";

const path = blockPath;
let indexed: IndexedBlock;
let testDatabase: IndexedBlock["testDatabase"];
let keys: Keys;
let server: ServerProcess | undefined;
beforeAll(async () => {
  indexed = await indexBlock();
  ({ testDatabase } = indexed);
  keys = createKeys(testDatabase.database);
  return indexed.remove;
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});
const serve = async (workers: number, limits: object): Promise<ServerProcess> => {
  server = await indexed.serve({ limits }, { args: ["--workers", String(workers)] });
  return server;
};
const workersOf = ({ child }: ServerProcess) => processesOf(child.pid ?? 0);

// The tests find the workers in /proc.
describe.skipIf(process.platform !== "linux")("a primary", () => {
  it("limits a key's concurrent requests and database time across all workers", async () => {
    const { url } = await serve(4, { ...unlimited, concurrentRequests: 3, databaseSecondsPerMinute: 2 });
    const { key } = await keys.create({ label: "concurrent" });
    const list = "/v1/own/block/1/transactions_v3/";
    const outcomes = await testDatabase.database.transaction(async (client) => {
      // Blocks each request's own statement, but no statement that requests share.
      await client.query("LOCK TABLE transactions");
      const sent = Array.from({ length: 24 }, () => request(url + list, key));
      const settled: Outcome[] = [];
      for (const response of sent) void response.then((outcome) => settled.push(outcome));
      await until("all requests but three to be refused", () => settled.length === 24 - 3);
      // More than the 2 s of database time.
      await sleep(2_500);
      expect(settled).toHaveLength(24 - 3);
      return sent;
    });
    const statuses = (await Promise.all(outcomes)).map((outcome) => (isResponse(outcome) ? outcome.status : outcome.error));
    expect([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length]).toEqual([3, 21]);
    // Requests for one response share its statement in each worker: at least one of the three has waited for the lock.
    await until("the database time to be counted by the primary", async () => {
      const outcome = await request(url + path, key);
      return isResponse(outcome) && outcome.status === 429 && outcome.body.includes("limits.databaseSecondsPerMinute");
    });
    // All workers reject requests.
    for (let count = 0; count < 8; count += 1) expect(await request(url + path, key)).toMatchObject({ status: 429 });
  });

  it("no longer counts a killed worker's requests", async () => {
    const running = await serve(2, { ...unlimited, concurrentRequests: 1 });
    const { key } = await keys.create({ label: "forgotten" });
    await testDatabase.database.transaction(async (client) => {
      await client.query("LOCK TABLE blocks, chains");
      const sent = [request(running.url + path, key), request(running.url + path, key)];
      // One of them runs, and the other is rejected.
      expect(await Promise.race(sent)).toMatchObject({ status: 429 });
      for (const pid of workersOf(running).values()) process.kill(pid, "SIGKILL");
      const lost = (await Promise.all(sent)).filter((outcome) => !isResponse(outcome));
      expect(lost).toEqual([expect.objectContaining({ error: expect.stringMatching(/ECONNRESET|hang up|aborted|EPIPE/) })]);
    });
    await until("a response", async () => {
      const outcome = await request(running.url + path, key);
      return isResponse(outcome) && outcome.status === 200;
    });
  });
});
