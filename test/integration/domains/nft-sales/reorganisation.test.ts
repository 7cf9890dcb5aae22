import { afterAll, beforeAll, expect, test } from "vitest";
import { erc721Item, erc1155Item, nativeItem } from "../../../../demo/story/seaport-orders.ts";
import { nftProjection } from "../../../../runtime/domains/nft/projection.ts";
import { salesProjection } from "../../../../runtime/domains/nft-sales/projection/index.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { dump } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { chainOf, createTestIndexer, type TestIndexer } from "../../../support/indexer/support.ts";
import { ether, indexNftMarket, type NftMarket, salesIn, startNftMarket } from "./nft-market.ts";

let market: NftMarket;
let testDatabase: TestDatabase;
let running: TestIndexer;
beforeAll(async () => {
  market = await startNftMarket();
  testDatabase = await createTestDatabase();
  running = await createTestIndexer(market.chain.url, testDatabase.database, {
    projections: [tokensProjection, nftProjection, salesProjection],
    chain: chainOf({ wrappedNative: [market.weth] }),
  });
}, 120_000);
afterAll(async () => {
  await running?.close();
  await testDatabase?.drop();
  await market?.chain.stop();
});

const sales = async (): Promise<readonly (readonly [string | undefined, boolean])[]> =>
  (await salesIn(testDatabase.database)).map((line) => [line.split(" ")[2], line.endsWith("true")] as const);

/** Compares the NFT tables with a fresh index of the same chain. */
const expectEqualToFreshIndex = async () => {
  const fresh = await indexNftMarket(market);
  try {
    const [actual, expected] = [await dump(testDatabase.database), await dump(fresh.database)];
    for (const table of Object.keys(expected).filter((name) => name.startsWith("nft_")))
      expect(actual[table], table).toEqual(expected[table]);
  } finally {
    await fresh.drop();
  }
};

test("a reorganisation rolls back sales, their sums and wash-trade marks, and adds the sales of the new branch", async () => {
  const { chain, art, editions, accounts, sell, mineOn } = market;
  const [anna, ben, cleo] = accounts;
  await mineOn(0, 9, ...sell(anna, ben, erc721Item(art, 0n), nativeItem(ether)));
  await mineOn(0, 10, ...sell(anna, ben, [erc721Item(art, 1n), erc1155Item(editions, 1n, 3n)], nativeItem(ether)));
  await mineOn(
    0,
    11,
    ...sell(ben, anna, erc721Item(art, 0n), nativeItem(2n * ether)),
    ...sell(anna, cleo, erc721Item(art, 2n), nativeItem(ether / 2n)),
  );
  await mineOn(0, 12, ...sell(ben, anna, erc1155Item(editions, 1n, 1n), nativeItem(ether)));
  await running.runToHead(await chain.head());
  expect(await sales()).toEqual([
    ["0", true],
    ["1", false],
    ["1", true],
    ["0", true],
    ["2", false],
    ["1", true],
  ]);
  await expectEqualToFreshIndex();
  // Drops the last block, whose sale made the edition's sale a wash trade.
  await chain.rpc("anvil_reorg", [1, []]);
  await running.runToHead(await chain.head());
  expect((await sales())[2]).toEqual(["1", false]);
  await expectEqualToFreshIndex();
  // Drops all sales except the first, and adds a new one.
  await chain.rpc("anvil_reorg", [3, []]);
  await mineOn(0, 14, ...sell(anna, cleo, erc721Item(art, 1n), nativeItem(3n * ether)));
  await running.runToHead(await chain.head());
  expect(await sales()).toEqual([
    ["0", false],
    ["1", false],
  ]);
  await expectEqualToFreshIndex();
  const [day] = await testDatabase.database.query("SELECT sales, wash_sales, amount, lowest FROM nft_market_days");
  expect(day).toEqual({ sales: 2, wash_sales: 0, amount: String(4n * ether), lowest: String(ether) });
});

test("a sales projection that is added later is built from the stored ledger", async () => {
  const late = await createTestDatabase();
  const options = { chain: chainOf({ wrappedNative: [market.weth] }) };
  const before = await createTestIndexer(market.chain.url, late.database, { ...options, projections: [tokensProjection, nftProjection] });
  await before.runToHead(await market.chain.head());
  await before.close();
  const after = await createTestIndexer(market.chain.url, late.database, {
    ...options,
    projections: [tokensProjection, nftProjection, salesProjection],
  });
  await after.runToHead(await market.chain.head());
  await after.close();
  expect(await salesIn(late.database)).toEqual(await salesIn(testDatabase.database));
  await late.drop();
});
