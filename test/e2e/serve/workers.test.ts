import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createKeys, type Keys } from "../../../runtime/http/keys.ts";
import { sleep } from "../../../runtime/lib/async.ts";
import type { TestDatabase } from "../../support/database.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { type ServerProcess, startServer } from "../../support/server-process.ts";
import { until } from "../../support/until.ts";
import { isGone } from "../start/service-process.ts";
import { blockPath, type IndexedBlock, indexBlock } from "./indexed-block.ts";
import { isResponse, type Load, request, startLoad, unlimited } from "./load.ts";
import { processesOf } from "./processes-of.ts";

const path = blockPath;
/** The cost of a request to `path` in hundredths of a credit: the catalog states 1 credit per call. */
const hundredths = 100;

let indexed: IndexedBlock;
let folder: string;
let testDatabase: TestDatabase;
let keys: Keys;
let server: ServerProcess | undefined;
let load: Load | undefined;

beforeAll(async () => {
  indexed = await indexBlock();
  ({ folder, testDatabase } = indexed);
  keys = createKeys(testDatabase.database);
  return indexed.remove;
});
afterEach(async () => {
  await load?.stop();
  await server?.stop();
  [load, server] = [undefined, undefined];
});

const serve = async (workers: number, limits: object, logLevel = "warn", environment: NodeJS.ProcessEnv = {}): Promise<ServerProcess> => {
  server = await indexed.serve(
    { limits },
    { args: ["--workers", String(workers)], environment: { ASHLAR_LOG_LEVEL: logLevel, ...environment } },
  );
  return server;
};
const workersOf = ({ child }: ServerProcess) => processesOf(child.pid ?? 0);
const usageOf = async (keyId: number): Promise<{ readonly calls: number; readonly hundredths: number }> => {
  const [row] = await testDatabase.database.query<{ calls: number; hundredths: number }>(
    "SELECT coalesce(sum(calls), 0)::int8 AS calls, coalesce(sum(hundredths), 0)::int8 AS hundredths FROM credit_usage WHERE key_id = $1",
    [keyId],
  );
  return row ?? { calls: 0, hundredths: 0 };
};
/** How many requests each process has logged. */
const requestsBy = (output: string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const [, name = ""] of output.matchAll(/"process":"([^"]+)".*"msg":"Request"/g)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

// The tests find the workers in /proc.
describe.skipIf(process.platform !== "linux")("ashlar serve --workers 4", () => {
  it("distributes connections to all workers, and each logs its name", async () => {
    const { url, output } = await serve(4, unlimited, "info");
    const { key } = await keys.create({ label: "spread" });
    for (let count = 0; count < 16; count += 1) expect(await request(url + path, key)).toMatchObject({ status: 200 });
    load = startLoad(url + path, key, 8);
    await until("each worker to respond", () => requestsBy(output()).size === 4);
    expect([...requestsBy(output()).keys()].sort()).toEqual(["worker 1", "worker 2", "worker 3", "worker 4"]);
  });

  it("counts a key's requests across all workers", async () => {
    const { url, output } = await serve(4, { requestsPerSecond: 5, burstRequests: 0 }, "info");
    const { key } = await keys.create({ label: "limited" });
    const startedAt = performance.now();
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => request(url + path, key)));
    const seconds = Math.ceil((performance.now() - startedAt) / 1000);
    const statuses = outcomes.map((outcome) => (isResponse(outcome) ? outcome.status : outcome.error));
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const served = statuses.filter((status) => status === 200).length;
    expect(served).toBeGreaterThanOrEqual(5);
    // A window of one second starts with its first request: n seconds overlap at most n windows after the first one.
    expect(served).toBeLessThanOrEqual(5 * (seconds + 1));
    expect(served).toBeLessThan(20);
    await until("the log lines", () => [...requestsBy(output()).values()].reduce((sum, count) => sum + count, 0) === 40);
    expect(requestsBy(output()).size).toBe(4);
  });

  it("counts a key's credits across all workers", async () => {
    const { url, stop } = await serve(4, unlimited);
    const { id, key } = await keys.create({ label: "credits", creditLimitHundredths: 7 * hundredths });
    const statuses: (number | string)[] = [];
    // Each request uses a new connection, so the workers take turns.
    for (let count = 0; count < 12; count += 1) {
      const outcome = await request(url + path, key);
      statuses.push(isResponse(outcome) ? outcome.status : outcome.error);
    }
    expect(statuses).toEqual([...Array(7).fill(200), ...Array(5).fill(402)]);
    await stop();
    expect(await usageOf(id)).toEqual({ calls: 7, hundredths: 7 * hundredths });
  });

  it("rejects a revoked key in all workers within 5 seconds", async () => {
    const { url } = await serve(4, unlimited);
    const { id, key } = await keys.create({ label: "revoked" });
    for (let count = 0; count < 8; count += 1) expect(await request(url + path, key)).toMatchObject({ status: 200 });
    await keys.revoke(id);
    const revokedAt = performance.now();
    load = startLoad(url + path, key, 8);
    await until("eight rejections in a row", () => {
      const last = load?.outcomes.slice(-8) ?? [];
      return last.length === 8 && last.every((outcome) => isResponse(outcome) && outcome.status === 401);
    });
    await load.stop();
    const accepted = load.outcomes.filter((outcome) => isResponse(outcome) && outcome.status === 200);
    expect((accepted.at(-1)?.endedAt ?? revokedAt) - revokedAt).toBeLessThan(scaleTimeLimit(5_000));
  });
});

describe.skipIf(process.platform !== "linux")("a failing worker", () => {
  it("is restarted after a kill while the others respond; each response is complete and charged once", async () => {
    const running = await serve(4, unlimited);
    const { id, key } = await keys.create({ label: "kills" });
    const expected = await request(running.url + path, key);
    if (!isResponse(expected)) throw new Error(`Request ${path} failed: ${expected.error}`);
    const height = (JSON.parse(expected.body) as { data: { items: { height: number }[] } }).data.items[0]?.height;
    expect(height).toBe(1);
    load = startLoad(running.url + path, key, 8, 20);
    for (const name of ["worker 2", "worker 3"]) {
      const before = workersOf(running);
      const pid = before.get(name) ?? 0;
      const responses = load.outcomes.length;
      process.kill(pid, "SIGKILL");
      await until(`${name} to be restarted`, () => ![undefined, pid].includes(workersOf(running).get(name)));
      for (const [other, otherPid] of before) if (other !== name) expect(workersOf(running).get(other)).toBe(otherPid);
      await until("more responses", () => (load?.outcomes.length ?? 0) > responses + 40);
    }
    await load.stop();
    const failed = load.outcomes.filter((outcome) => !isResponse(outcome));
    // Each of the 8 clients has at most one request on each killed worker.
    expect(failed.length).toBeLessThanOrEqual(16);
    for (const outcome of failed) expect(outcome).toMatchObject({ error: expect.stringMatching(/ECONNRESET|hang up|aborted|EPIPE/) });
    const responses = load.outcomes.filter(isResponse);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const itemsOf = (body: string): unknown => (JSON.parse(body) as { data: { items: unknown } }).data.items;
    for (const { body } of responses) expect(itemsOf(body)).toEqual(itemsOf(expected.body));
    await running.stop();
    // The first request, and each response. A worker may have charged a request without being able to respond.
    const { calls, hundredths: spent } = await usageOf(id);
    expect(calls).toBeGreaterThanOrEqual(responses.length + 1);
    expect(calls).toBeLessThanOrEqual(load.outcomes.length + 1);
    expect(spent).toBe(calls * hundredths);
  });

  it("is replaced if it hangs, while the others accept all connections", async () => {
    // The environment variable makes every process enter an infinite loop on SIGUSR2.
    const loop = "data:text/javascript,process.on('SIGUSR2',()=>{process._rawDebug('in%20the%20loop');for(;;);})";
    const running = await serve(3, unlimited, "warn", { NODE_OPTIONS: `--import=${loop}` });
    const { key } = await keys.create({ label: "loop" });
    const pid = workersOf(running).get("worker 2") ?? 0;
    load = startLoad(running.url + path, key, 4, 20);
    await until("responses", () => (load?.outcomes.length ?? 0) > 40);
    process.kill(pid, "SIGUSR2");
    // Until it hangs, worker 2 may accept connections.
    await until("worker 2 to hang", () => running.output().includes("in the loop"));
    // New connections: the other workers accept those that the hung worker does not.
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        await sleep(index * 250);
        return request(running.url + path, key);
      }),
    );
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 200 });
    await until("worker 2 to be restarted", () => ![undefined, pid].includes(workersOf(running).get("worker 2")));
    expect(running.output()).toContain("Process worker 2 did not respond for 20 s and was killed. Restarting it now.");
    for (let count = 0; count < 6; count += 1) expect(await request(running.url + path, key)).toMatchObject({ status: 200 });
  });

  it("does not lose connections that it has not accepted", async () => {
    const running = await serve(2, unlimited);
    const { key } = await keys.create({ label: "unresponsive" });
    for (const pid of workersOf(running).values()) process.kill(pid, "SIGSTOP");
    let connected = 0;
    const pending = Array.from({ length: 6 }, () =>
      request(running.url + path, key, false, () => {
        connected += 1;
      }),
    );
    await until("all connections to be established", () => connected === 6);
    for (const pid of workersOf(running).values()) process.kill(pid, "SIGKILL");
    for (const outcome of await Promise.all(pending)) expect(outcome).toMatchObject({ status: 200 });
  });
});

describe.skipIf(process.platform !== "linux")("the primary", () => {
  it("leaves no workers behind when it is killed", async () => {
    const running = await serve(2, unlimited);
    const pids = [...workersOf(running).values()];
    expect(pids).toHaveLength(2);
    running.child.kill("SIGKILL");
    await running.exited;
    await until("the workers to exit", () => pids.every(isGone));
  });

  it("finishes requests in flight on SIGTERM, and exits with 0", async () => {
    const running = await serve(2, unlimited);
    const { key } = await keys.create({ label: "stop" });
    const pids = [...workersOf(running).values()];
    const outcomes = await testDatabase.database.transaction(async (client) => {
      // Blocks the statements of requests.
      await client.query("LOCK TABLE blocks, chains");
      const inFlight = Array.from({ length: 4 }, () => request(running.url + path, key));
      await until("the requests to wait for the lock", async () => {
        // On another connection, because a transaction sees pg_stat_activity as of its first access.
        const [row] = await testDatabase.database.query<{ count: number }>(
          "SELECT count(*)::int8 AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return (row?.count ?? 0) > 0;
      });
      running.child.kill("SIGTERM");
      await until("the message about the requests", () => /waiting for the server, with \d requests? in flight/.test(running.output()));
      return inFlight;
    });
    for (const outcome of await Promise.all(outcomes)) expect(outcome).toMatchObject({ status: 200 });
    expect(await running.exited).toBe(0);
    expect(pids.every(isGone)).toBe(true);
    await expect(fetch(running.url)).rejects.toThrow();
  });

  it("reports how many connections its processes need if the database accepts fewer", async () => {
    await testDatabase.database.query(`ALTER DATABASE ${new URL(testDatabase.url).pathname.slice(1)} CONNECTION LIMIT 30`);
    await expect(serve(4, unlimited)).rejects.toThrow(
      // Each worker has 3 + 2 + 2 connections in its pools and one for notifications; this process 3 + 2 + 2 + 3 and one for migrations.
      "The database accepts 30 connections, but this process and 4 workers need at least 43: raise max_connections",
    );
    await testDatabase.database.query(`ALTER DATABASE ${new URL(testDatabase.url).pathname.slice(1)} CONNECTION LIMIT -1`);
  });

  it("reports an invalid worker count, and a configuration that workers cannot use", async () => {
    await expect(startServer(join(folder, "ashlar.yaml"), testDatabase.url, { args: ["--workers", "0"] })).rejects.toThrow(
      /Invalid value "?0"? for --workers: expected a number from 1 to 256, or auto/,
    );
    const file = join(folder, "labels.yaml");
    await writeFile(file, JSON.stringify({ chains: [{ name: "own", id: 31337, labelsFile: "nowhere.csv" }], workers: 2 }));
    await expect(startServer(file, testDatabase.url)).rejects.toThrow(
      /exited with code 1: .*Invalid value "[^"]*nowhere.csv" for labelsFile/s,
    );
  });
});
