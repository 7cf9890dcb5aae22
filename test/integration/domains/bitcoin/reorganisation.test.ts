import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBitcoinChain } from "../../../../demo/bitcoin/chain.ts";
import { createRandom } from "../../../../demo/story/random.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { startBitcoinNode, type TestBitcoinNode } from "../../../support/bitcoin/node.ts";
import { type BitcoinStory, createStory } from "../../../support/bitcoin/story.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { compareWithLedger } from "./ledger.ts";
import { type BitcoinServer, chainSettings, indexAll, type RunningIndex, serveBitcoin, startIndex } from "./support.ts";

const tables = ["bitcoin_blocks", "bitcoin_transactions", "bitcoin_outputs", "bitcoin_inputs", "bitcoin_address_transactions"] as const;
const contentsOf = async ({ query }: Database) =>
  Object.fromEntries(
    await Promise.all(
      tables.map(async (table) => {
        const [row] = await query<{ rows: number; digest: string }>(
          `SELECT count(*) AS rows, md5(string_agg(t::text, ',' ORDER BY t::text)) AS digest FROM ${table} t`,
        );
        return [table, row] as const;
      }),
    ),
  );

let story: BitcoinStory;
let node: TestBitcoinNode;
let testDatabase: TestDatabase;
let index: RunningIndex;
let server: BitcoinServer;

beforeAll(async () => {
  story = createStory(createBitcoinChain(), createRandom("reorganisations"), 2);
  for (let count = 0; count < 40; count += 1) story.mine();
  // The node does not return spent outputs, so they are read from the index, even after a rollback.
  node = await startBitcoinNode(story.chain, { version: 220_000 });
  testDatabase = await createTestDatabase();
  index = startIndex(node, testDatabase.database);
  await index.sync();
  server = await serveBitcoin(testDatabase.database, chainSettings(node.url));
});
afterAll(async () => {
  await server?.stop();
  await index?.stop();
  await testDatabase?.drop();
  await node?.stop();
});

describe("a reorganisation", () => {
  it.each([1, 3, 10, 30])("of %i blocks yields the same tables and responses as a fresh index", async (depth) => {
    const before = node.chain.blocks.at(-1)?.hash;
    story.reorganise(story.chain.blocks.length - 1 - depth);
    await index.sync();
    expect(node.chain.blocks.at(-2)?.hash).not.toBe(before);
    await compareWithLedger(server, story);
    const other = await createTestDatabase();
    try {
      await indexAll(node, other.database);
      expect(await contentsOf(testDatabase.database)).toEqual(await contentsOf(other.database));
    } finally {
      await other.drop();
    }
  });

  it("deletes page anchors above the common ancestor", async () => {
    const wallet = story.wallets.find(({ address }) => address !== null && story.entriesOf(address).length > 4);
    const path = `/v1/cq/provider/app/protocol_03/transactions/?address=${wallet?.address}&page-size=2`;
    const first = await server.get(`${path}&page-number=0`);
    expect(first.body.data).toMatchObject({ pagination: { has_more: true } });
    const [anchor] = await testDatabase.database.query<{ block_number: number }>("SELECT block_number FROM page_anchors");
    expect(anchor?.block_number).toBe(story.chain.blocks.length - 1);
    story.mine();
    await index.sync();
    const entries = story.entriesOf(wallet?.address ?? "").filter(({ height }) => height <= (anchor?.block_number ?? 0));
    const second = await server.get(`${path}&page-number=1`);
    expect(second.body.data).toMatchObject({ items: entries.slice(2, 4).map(({ txid }) => ({ tx_hash: txid })) });
    story.reorganise(story.chain.blocks.length - 4);
    await index.sync();
    expect(await testDatabase.database.query("SELECT FROM page_anchors")).toEqual([]);
  });
});

describe("a reorganisation below a finalized block", () => {
  it("stops the indexer and leaves the index unchanged", async () => {
    const chain = createBitcoinChain();
    for (let count = 0; count < 12; count += 1) chain.mine();
    const finalNode = await startBitcoinNode(chain);
    const otherDatabase = await createTestDatabase();
    try {
      const running = startIndex(finalNode, otherDatabase.database, { finality: 3 });
      await running.sync();
      chain.mine();
      await running.sync();
      const hashes = await otherDatabase.database.query("SELECT number, hash FROM bitcoin_blocks ORDER BY number");
      chain.removeBlocksAbove(5);
      for (let count = 0; count < 10; count += 1) chain.mine();
      await expect(running.stopped).rejects.toThrow("although block 9 was finalized");
      expect(await otherDatabase.database.query("SELECT number, hash FROM bitcoin_blocks ORDER BY number")).toEqual(hashes);
    } finally {
      await otherDatabase.drop();
      await finalNode.stop();
    }
  });
});
