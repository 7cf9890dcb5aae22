import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database, DatabaseClient } from "../../../runtime/database/database.ts";
import type { Address } from "../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { dump } from "../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addRound, buildStory, type Story } from "../../support/indexer/story-builder.ts";
import { chainOf, createTestIndexer, isAtHead, runInBackground } from "../../support/indexer/support.ts";
import { until } from "../../support/until.ts";

const tuning = { batchTransactions: 3, requestTransactions: 1, requestBlocks: 1 };
const initialRoundCount = 3;
let chain: TestChain;
let story: Story;
let round = initialRoundCount;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  story = await buildStory(chain, initialRoundCount);
});
afterAll(async () => {
  await Promise.all(databases.map((testDatabase) => testDatabase.drop()));
  await chain?.stop();
});

const chainSettings = () => chainOf({ wrappedNative: [story.weth] });
const accounts = () => chain.accounts.slice(0, 3) as unknown as [Address, Address, Address];
const newDatabase = async (): Promise<TestDatabase> => {
  const testDatabase = await createTestDatabase();
  databases.push(testDatabase);
  return testDatabase;
};

/** The rows in an index that wrote all blocks in one batch. */
const singleBatchDump = async (): Promise<Record<string, string[]>> => {
  const testDatabase = await newDatabase();
  const testIndexer = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings() });
  await testIndexer.runToHead(await chain.head());
  await testIndexer.close();
  return dump(testDatabase.database);
};
const expectSame = (actual: Record<string, string[]>, expected: Record<string, string[]>) => {
  for (const table of Object.keys(expected)) expect(actual[table], table).toEqual(expected[table]);
};

/** A database that runs a step at the end of each transaction that writes blocks. */
const withStep = (database: Database, step: (batch: number, client: DatabaseClient) => Promise<void>): Database => {
  let batch = 0;
  return {
    ...database,
    transaction: (work) =>
      database.transaction(async (client) => {
        let hasWrittenBlocks = false;
        const observedClient: DatabaseClient = {
          ...client,
          pipeline: (statements) => {
            hasWrittenBlocks ||= statements.some(({ text }) => text.startsWith('COPY "blocks" '));
            return client.pipeline(statements);
          },
        };
        const result = await work(observedClient);
        if (hasWrittenBlocks) {
          batch += 1;
          await step(batch, client);
        }
        return result;
      }),
  };
};

describe("a batch that is folded while the previous one is written", () => {
  it("starts from the uncommitted rows of the previous one, and leaves the same rows as a single batch", async () => {
    const testDatabase = await newDatabase();
    // The delay is long enough for the next batch to be folded.
    const slowDatabase = withStep(testDatabase.database, () => new Promise((resolve) => setTimeout(resolve, 30)));
    const testIndexer = await createTestIndexer(chain.url, slowDatabase, { chain: chainSettings(), tuning });
    await testIndexer.runToHead(await chain.head());
    await testIndexer.close();
    expect(testIndexer.progress.length).toBeGreaterThan(5);
    expectSame(await dump(testDatabase.database), await singleBatchDump());
  });

  it("is discarded when the previous one cannot be written, and folded again", async () => {
    const testDatabase = await newDatabase();
    const failing = withStep(testDatabase.database, async (batch) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      if (batch === 3 || batch === 6) throw Object.assign(new Error("The disk is full."), { code: "53100" });
    });
    const testIndexer = await createTestIndexer(chain.url, failing, { chain: chainSettings(), tuning });
    await testIndexer.runToHead(await chain.head());
    await testIndexer.close();
    expect(testIndexer.warnings.filter((warning) => warning.includes("The disk is full."))).toHaveLength(2);
    expectSame(await dump(testDatabase.database), await singleBatchDump());
  });

  it("starts from the rows of the ancestor after a reorganisation, regardless of cached rows", async () => {
    const testDatabase = await newDatabase();
    const testIndexer = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings(), tuning });
    const stop = runInBackground(testIndexer);
    await until("the index to reach the head", () => isAtHead(testDatabase.database, chain));
    await addRound(chain, story, round++, accounts());
    await until("the index to reach the head", () => isAtHead(testDatabase.database, chain));
    await chain.rpc("anvil_reorg", [3, []]);
    await addRound(chain, story, round++, accounts());
    await until("the index to reach the head", () => isAtHead(testDatabase.database, chain));
    await stop();
    expectSame(await dump(testDatabase.database), await singleBatchDump());
  });
});

describe("exclusive work", () => {
  it("runs between two batches, sees committed rows, and the next batch sees its changes", async () => {
    const testDatabase = await newDatabase();
    const slowDatabase = withStep(testDatabase.database, () => new Promise((resolve) => setTimeout(resolve, 20)));
    const testIndexer = await createTestIndexer(chain.url, slowDatabase, { chain: chainSettings(), tuning });
    const stop = runInBackground(testIndexer);
    await until("some batches to be written", () => testIndexer.progress.length >= 3);
    const observed = await testIndexer.indexer.runExclusive(async (client, indexed) => {
      const [row] = await client.query<{ number: number; hash: string; checkpoint: number }>(
        `SELECT number, hash, (SELECT block_number FROM projection_checkpoints WHERE projection = 'ledger') AS checkpoint
         FROM blocks ORDER BY number DESC LIMIT 1`,
      );
      // If the next batch's ordinals continue from these, the indexer has read them again.
      await client.query("UPDATE address_transactions SET ordinal = ordinal + 1000 WHERE address = decode($1, 'hex')", [
        (accounts()[0] ?? "").slice(2),
      ]);
      return { row, indexed };
    });
    expect(observed?.row).toEqual({ ...observed?.indexed, checkpoint: observed?.indexed.number });
    await until("the index to reach the head", () => isAtHead(testDatabase.database, chain));
    await stop();
    const [after] = await testDatabase.database.query<{ lowest: number; highest: number; count: number }>(
      "SELECT min(ordinal) AS lowest, max(ordinal) AS highest, count(*) AS count FROM address_transactions WHERE address = decode($1, 'hex')",
      [(accounts()[0] ?? "").slice(2)],
    );
    expect(after?.lowest).toBe(1000);
    expect(after?.highest).toBe(1000 + (after?.count ?? 0) - 1);
    expect(testIndexer.warnings).toEqual([]);
  });

  it("is rolled back when it fails, and indexing continues", async () => {
    const testDatabase = await newDatabase();
    const testIndexer = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings(), tuning });
    const stop = runInBackground(testIndexer);
    await until("the index to reach the head", () => isAtHead(testDatabase.database, chain));
    const failing = testIndexer.indexer.runExclusive(async (client) => {
      await client.query("DELETE FROM balances");
      throw new Error("on purpose");
    });
    await expect(failing).rejects.toThrow("on purpose");
    await addRound(chain, story, round++, accounts());
    await until("the index to reach the head", () => isAtHead(testDatabase.database, chain));
    await stop();
    expectSame(await dump(testDatabase.database), await singleBatchDump());
  });

  it("does not run if this process is not the leader", async () => {
    const testDatabase = await newDatabase();
    const testIndexer = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings() });
    let hasRun = false;
    expect(
      await testIndexer.indexer.runExclusive(async () => {
        hasRun = true;
      }),
    ).toBeNull();
    expect(hasRun).toBe(false);
    await testIndexer.close();
  });
});
