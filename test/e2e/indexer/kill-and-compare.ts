import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { createRandom } from "../../../demo/story/random.ts";
import { chainConfigSchema } from "../../../runtime/config/config.ts";
import { every, poll } from "../../../runtime/lib/async.ts";
import type { Address } from "../../../runtime/lib/hex.ts";
import { startTestChain } from "../../support/chain.ts";
import { hashContents } from "../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addRound, buildStory } from "../../support/indexer/story-builder.ts";
import { isAtHead } from "../../support/indexer/support.ts";
import { startIndexer } from "../../support/indexer-process.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { until } from "../../support/until.ts";

export interface KillOptions {
  readonly killCount: number;
  /** The number of comparisons before the end. */
  readonly comparisonCount: number;
  readonly seed: string;
}

/** Both indexes' contents at one height. */
export interface Comparison {
  readonly killed: Readonly<Record<string, string>>;
  readonly undisturbed: Readonly<Record<string, string>>;
}

/**
 * How many states anvil keeps in memory: more than the chain has blocks. By default, it moves older ones to disk, and a reorganisation near
 * block 1,000 then deletes all contracts' code.
 */
const keptStateCount = 5_000;

/** Rounds of three blocks each before the first process starts. */
const initialRoundCount = 40;

/** Runs two indexers on a growing chain, kills one of them repeatedly, and reads both indexes' contents. */
export const killAndCompare = async ({ killCount, comparisonCount, seed }: KillOptions): Promise<Comparison[]> => {
  const random = createRandom(seed);
  const [chain, killed, undisturbed, folder, undisturbedFolder] = await Promise.all([
    startTestChain({ args: ["--prune-history", String(keptStateCount)] }),
    createTestDatabase(),
    createTestDatabase(),
    mkdtemp(join(tmpdir(), "ashlar-kills-")),
    mkdtemp(join(tmpdir(), "ashlar-kills-")),
  ]);
  const story = await buildStory(chain, initialRoundCount);
  const config = chainConfigSchema.parse({
    name: "test",
    id: 31337,
    rpc: chain.url,
    nativeAccounting: "traces",
    wrappedNative: [story.weth],
    pollMilliseconds: 50,
  });
  let round = initialRoundCount;
  const addBlocks = () => addRound(chain, story, round++, chain.accounts.slice(0, 3) as unknown as [Address, Address, Address]);
  const isIndexedToHead = async (testDatabase: TestDatabase): Promise<boolean> =>
    (await isAtHead(testDatabase.database, chain)) && (await testDatabase.database.query("SELECT 1 FROM node_reads LIMIT 1")).length === 0;
  /** Whether a process connected within the last second; a killed process's connections close shortly after its exit. */
  const isConnected = async (testDatabase: TestDatabase): Promise<boolean> =>
    (
      await testDatabase.database.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'ashlar-index' AND backend_start > now() - interval '1 second'",
      )
    ).length > 0;
  /** The price job records its settings in its first run at the head, concurrently with indexing. */
  const hasPriceSettings = async (testDatabase: TestDatabase): Promise<boolean> =>
    (await testDatabase.database.query("SELECT 1 FROM price_settings WHERE fingerprint IS NOT NULL")).length > 0;
  const isComparable = async (testDatabase: TestDatabase): Promise<boolean> =>
    (await isIndexedToHead(testDatabase)) && (await hasPriceSettings(testDatabase));
  const comparisons: Comparison[] = [];
  const compare = async () => {
    await until("both indexes to reach the head", async () => (await isComparable(killed)) && (await isComparable(undisturbed)));
    // Jobs that compare values with contracts, such as supplies, run concurrently with indexing and may not have run yet in a new process.
    const read = async (): Promise<Comparison> => ({
      killed: await hashContents(killed.database),
      undisturbed: await hashContents(undisturbed.database),
    });
    const latest = await poll(
      async () => {
        const comparison = await read();
        return isDeepStrictEqual(comparison.killed, comparison.undisturbed) ? comparison : null;
      },
      { ...every(500), withinMilliseconds: scaleTimeLimit(30_000) },
    );
    comparisons.push(latest ?? (await read()));
  };
  const undisturbedIndexer = await startIndexer(undisturbedFolder, config, undisturbed.url);
  try {
    for (let count = 1; count <= killCount; count += 1) {
      const isComparisonPoint = count === killCount || count % Math.floor(killCount / comparisonCount) === 0;
      // The next process starts with a backfill, sometimes on another branch.
      for (let rounds = random.between(2, 10); rounds > 0; rounds -= 1) await addBlocks();
      if (random.oneIn(3)) await chain.rpc("anvil_reorg", [random.between(1, 20), []]);
      const running = await startIndexer(folder, config, killed.url);
      await until("the process to connect", () => isConnected(killed));
      if (!isComparisonPoint && random.oneIn(2)) await wait(random.between(0, 500));
      else {
        await until("the index to reach the head", () => isIndexedToHead(killed));
        await addBlocks();
        if (random.oneIn(3)) await chain.rpc("anvil_reorg", [random.between(1, 10), []]);
        // At the head, each of these blocks is indexed within tens of milliseconds.
        if (!isComparisonPoint) await wait(random.between(0, 120));
      }
      if (isComparisonPoint) await compare();
      await running.kill();
    }
    return comparisons;
  } finally {
    await undisturbedIndexer.kill();
    await Promise.all([killed.drop(), undisturbed.drop(), chain.stop()]);
    await Promise.all([folder, undisturbedFolder].map((path) => rm(path, { recursive: true, force: true })));
  }
};
