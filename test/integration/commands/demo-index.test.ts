import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BitcoinDemo, startBitcoin } from "../../../demo/bitcoin/start-bitcoin.ts";
import { deleteChain, matchesBitcoinDemo } from "../../../runtime/commands/demo-index.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { indexBitcoin } from "../../support/service.ts";

const genesisTime = 1_767_225_600;

describe("the index of the demo's Bitcoin chain", () => {
  const nodes: BitcoinDemo[] = [];
  let testDatabase: TestDatabase;
  const start = async (time = genesisTime): Promise<BitcoinDemo> => {
    const node = await startBitcoin(time);
    nodes.push(node);
    return node;
  };
  const readHead = async (): Promise<unknown> =>
    (await testDatabase.database.query("SELECT hash, number FROM bitcoin_blocks ORDER BY number DESC LIMIT 1"))[0];

  beforeEach(async () => {
    testDatabase = await createTestDatabase();
  });
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
    await testDatabase.drop();
  });

  it("matches the chain that a later start creates, even if it is empty or incomplete", async () => {
    const first = await start();
    expect(await matchesBitcoinDemo(testDatabase.database, first)).toBe(true);
    await indexBitcoin(first, testDatabase.database);
    await first.stop();
    nodes.pop();
    expect(await matchesBitcoinDemo(testDatabase.database, await start())).toBe(true);
    await testDatabase.database.query("DELETE FROM bitcoin_blocks WHERE number > 100");
    expect(await matchesBitcoinDemo(testDatabase.database, await start())).toBe(true);
    await testDatabase.database.query("DELETE FROM bitcoin_blocks");
    expect(await matchesBitcoinDemo(testDatabase.database, await start())).toBe(true);
  });

  it("does not match a chain with another genesis block, and can be replaced by that chain's index", async () => {
    await indexBitcoin(await start(), testDatabase.database);
    const other = await start(genesisTime + 60);
    expect(await matchesBitcoinDemo(testDatabase.database, other)).toBe(false);
    await deleteChain(testDatabase.database, other.chain.id);
    await indexBitcoin(other, testDatabase.database);
    expect(await readHead()).toEqual({ number: 337, hash: other.hashAt(337) });
  });

  it("does not match a chain that is shorter or has another block at the indexed head, such as another story version's chain", async () => {
    const node = await start();
    await indexBitcoin(node, testDatabase.database);
    const shorter: BitcoinDemo = { ...node, hashAt: (height) => (height > 300 ? null : node.hashAt(height)) };
    const changed: BitcoinDemo = { ...node, hashAt: (height) => node.hashAt(height > 300 ? height - 1 : height) };
    expect(await matchesBitcoinDemo(testDatabase.database, shorter)).toBe(false);
    expect(await matchesBitcoinDemo(testDatabase.database, changed)).toBe(false);
  });
});
