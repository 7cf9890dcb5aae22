import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChainBlock } from "../../../runtime/chain/types.ts";
import { createStoredLedger } from "../../../runtime/domains/ledger/stored-blocks.ts";
import type { StoredLedger } from "../../../runtime/indexer/types.ts";
import type { Hash } from "../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { buildStory } from "../../support/indexer/story-builder.ts";
import { chainOf, createTestIndexer } from "../../support/indexer/support.ts";

/** keccak256 of Transfer(address,address,uint256) and of Approval(address,address,uint256), as EIP-20 declares them. */
const transfer: Hash = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const approval: Hash = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";

let chain: TestChain;
let testDatabase: TestDatabase;
let ledger: StoredLedger;
let blocks: ChainBlock[];

beforeAll(async () => {
  chain = await startTestChain();
  await buildStory(chain, 2);
  testDatabase = await createTestDatabase();
  const indexer = await createTestIndexer(chain.url, testDatabase.database);
  await indexer.runToHead(await chain.head());
  await indexer.close();
  ledger = createStoredLedger(testDatabase.database, chainOf().id);
  blocks = await ledger.blocks(0, await chain.head(), "traces");
});
afterAll(async () => {
  await testDatabase?.drop();
  await chain?.stop();
});

/** All blocks, reduced to the logs with these first topics and their transactions. */
const withLogsOf = (topics: readonly Hash[]): ChainBlock[] =>
  blocks.map((block) => ({
    ...block,
    transactions: block.transactions
      .map((transaction) => ({
        ...transaction,
        traces: null,
        logs: transaction.logs.filter((log) => topics.includes(log.topics[0] ?? "0x")),
      }))
      .filter(({ logs }) => logs.length > 0),
    withdrawals: [],
    balances: null,
  }));

const transactionCountOf = (selected: readonly ChainBlock[]): number => selected.flatMap(({ transactions }) => transactions).length;

describe("stored blocks with filtered logs", () => {
  it("contain the logs with the topics, and only their transactions", async () => {
    for (const topics of [[transfer], [approval], [transfer, approval]]) {
      const expected = withLogsOf(topics);
      expect(await ledger.blocksWithLogs(0, blocks.length - 1, topics)).toEqual(expected);
      expect(transactionCountOf(expected)).toBeGreaterThan(0);
      expect(transactionCountOf(expected)).toBeLessThan(transactionCountOf(blocks));
    }
  });

  it("include all blocks in the range, even blocks without such logs", async () => {
    const read = await ledger.blocksWithLogs(1, 3, [`0x${"ab".repeat(32)}`]);
    expect(read.map(({ number, transactions }) => [number, transactions])).toEqual([1, 2, 3].map((number) => [number, []]));
  });
});
