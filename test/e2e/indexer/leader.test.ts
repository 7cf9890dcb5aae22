import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { chainConfigSchema } from "../../../runtime/config/config.ts";
import { createDatabase, type Database } from "../../../runtime/database/database.ts";
import { createLeader, LeadershipLostError } from "../../../runtime/indexer/leader/leader.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { dump } from "../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addRound, buildStory, type Story } from "../../support/indexer/story-builder.ts";
import { chainOf, createTestIndexer } from "../../support/indexer/support.ts";
import { startIndexer } from "../../support/indexer-process.ts";
import { until } from "../../support/until.ts";

type Accounts = readonly [`0x${string}`, `0x${string}`, `0x${string}`];

let chain: TestChain;
let story: Story;
let round = 1;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  story = await buildStory(chain, round);
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
afterAll(async () => {
  await chain?.stop();
});

const newDatabase = async (): Promise<TestDatabase> => {
  const testDatabase = await createTestDatabase();
  cleanUps.push(testDatabase.drop);
  return testDatabase;
};
const connect = (testDatabase: TestDatabase, applicationName: string): Database => {
  const database = createDatabase({ url: testDatabase.url, poolSize: 4, statementTimeoutMilliseconds: 0, applicationName });
  cleanUps.push(database.close);
  return database;
};
const startIn = async (testDatabase: TestDatabase, applicationName: string) => {
  const running = await createTestIndexer(chain.url, connect(testDatabase, applicationName), {
    chain: chainOf({ wrappedNative: [story.weth] }),
  });
  const stop = new AbortController();
  const run = running.indexer.run(stop.signal);
  const end = async () => {
    stop.abort();
    await run;
  };
  cleanUps.push(async () => {
    await end();
    await running.close();
  });
  return { ...running, end };
};
const breakLockOf = (testDatabase: TestDatabase, applicationName: string) =>
  // Waits until the server process has exited and released its lock.
  testDatabase.database.query(
    `SELECT pg_terminate_backend(l.pid, 10000) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND a.application_name = $1 AND a.datname = current_database()`,
    [applicationName],
  );
const addMoreBlocks = () => addRound(chain, story, round++, chain.accounts.slice(0, 3) as unknown as Accounts);
const dumpFreshIndex = async () => {
  const testDatabase = await newDatabase();
  const fresh = await createTestIndexer(chain.url, testDatabase.database, { chain: chainOf({ wrappedNative: [story.weth] }) });
  await fresh.runToHead(await chain.head());
  await fresh.close();
  return dump(testDatabase.database);
};

describe("a second indexer for a chain", () => {
  it("logs once that it is waiting, and takes over when the first one stops", async () => {
    const testDatabase = await newDatabase();
    const first = await startIn(testDatabase, "first");
    const head = await chain.head();
    await until("the backfill to finish", () => first.indexer.status().block === head);
    const second = await startIn(testDatabase, "second");
    await until("the second process to wait", () => second.notes.length > 0);
    await addMoreBlocks();
    await until("the index to reach the new head", async () => first.indexer.status().block === (await chain.head()));
    expect(second.progress).toEqual([]);
    expect(second.indexer.status().isLeading).toBe(false);
    await first.end();
    await addMoreBlocks();
    await until("the other process to take over", async () => second.indexer.status().block === (await chain.head()));
    expect(second.notes.filter((note) => note.includes("Another process"))).toEqual([
      "Another process is indexing test; waiting to take over when it stops.",
    ]);
    expect(await dump(testDatabase.database)).toEqual(await dumpFreshIndex());
  });

  it("takes over when the first one loses its lock, and the first one then waits", async () => {
    const testDatabase = await newDatabase();
    const first = await startIn(testDatabase, "first");
    await until("the backfill to finish", async () => first.indexer.status().block === (await chain.head()));
    const second = await startIn(testDatabase, "second");
    await until("the second process to wait", () => second.notes.length > 0);
    for (const [leader, name, other] of [
      [first, "first", second],
      [second, "second", first],
    ] as const) {
      expect(leader.indexer.status().isLeading).toBe(true);
      await breakLockOf(testDatabase, name);
      await addMoreBlocks();
      await until("the other process to take over", () => other.indexer.status().isLeading && !leader.indexer.status().isLeading);
      await until("the index to reach the new head", async () => other.indexer.status().block === (await chain.head()));
    }
    expect(await dump(testDatabase.database)).toEqual(await dumpFreshIndex());
  });

  it("takes over within seconds after the first process was killed", async () => {
    const testDatabase = await newDatabase();
    const folder = await mkdtemp(join(tmpdir(), "ashlar-leader-"));
    cleanUps.push(() => rm(folder, { recursive: true, force: true }));
    const config = chainConfigSchema.parse({ name: "test", id: 31337, rpc: chain.url, pollMilliseconds: 100, nativeAccounting: "traces" });
    const first = await startIndexer(folder, config, testDatabase.url);
    cleanUps.push(first.kill);
    const isHeadIndexed = async () => {
      const [row] = await testDatabase.database.query<{ height: number | null }>("SELECT max(number) AS height FROM blocks");
      return row?.height === (await chain.head());
    };
    await until("the backfill to finish", isHeadIndexed);
    const second = await startIndexer(folder, config, testDatabase.url);
    cleanUps.push(second.kill);
    await until("the second process to wait", async () => {
      const [row] = await testDatabase.database.query<{ count: number }>(
        "SELECT count(DISTINCT pid) AS count FROM pg_stat_activity WHERE application_name = 'ashlar-index' AND state = 'idle in transaction'",
      );
      return row?.count === 2;
    });
    await first.kill();
    await addMoreBlocks();
    await until("the other process to take over", isHeadIndexed);
  });
});

describe("a leader that lost its lock", () => {
  it("cannot write, even before it detects the loss", async () => {
    const testDatabase = await newDatabase();
    const database = connect(testDatabase, "silent");
    const leader = createLeader({
      database,
      chain: chainOf(),
      logger: { info: () => undefined, warn: () => undefined },
      beatMilliseconds: 60_000,
    });
    const outcomes: unknown[] = [];
    await leader.lead(new AbortController().signal, async ({ guard, lostSignal }) => {
      const write = () => database.transaction(guard).catch((error: unknown) => error);
      outcomes.push(await write());
      await breakLockOf(testDatabase, "silent");
      outcomes.push(await write(), lostSignal.aborted);
    });
    expect(outcomes).toEqual([undefined, expect.any(LeadershipLostError), true]);
  });
});
