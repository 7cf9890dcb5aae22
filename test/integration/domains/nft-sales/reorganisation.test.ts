import { afterAll, beforeAll, expect, it } from "vitest";
import { native, unique, units } from "../../../../demo/story/seaport-orders.ts";
import { nftProjection } from "../../../../runtime/domains/nft/projection.ts";
import { salesProjection } from "../../../../runtime/domains/nft-sales/projection/index.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { dump } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { chainOf, createTestIndexer, type TestIndexer } from "../../../support/indexer/support.ts";
import { type Bazaar, ether, indexBazaar, salesIn, startBazaar } from "./bazaar.ts";

/** A market whose node changes its mind about sales, and about those that made earlier ones wash trades. */
let bazaar: Bazaar;
let test: TestDatabase;
let running: TestIndexer;
beforeAll(async () => {
  bazaar = await startBazaar();
  test = await createTestDatabase();
  running = await createTestIndexer(bazaar.chain.url, test.database, {
    projections: [tokensProjection, nftProjection, salesProjection],
    chain: chainOf({ wrappedNative: [bazaar.weth] }),
  });
}, 120_000);
afterAll(async () => {
  await running?.close();
  await test?.drop();
  await bazaar?.chain.stop();
});

const sales = async (): Promise<readonly (readonly [string | undefined, boolean])[]> =>
  (await salesIn(test.database)).map((line) => [line.split(" ")[2], line.endsWith("true")] as const);

/** What an index would hold that never saw what was dropped. */
const expectAsIfNeverSeen = async () => {
  const fresh = await indexBazaar(bazaar);
  try {
    const [actual, expected] = [await dump(test.database), await dump(fresh.database)];
    for (const table of Object.keys(expected).filter((name) => name.startsWith("nft_")))
      expect(actual[table], table).toEqual(expected[table]);
  } finally {
    await fresh.drop();
  }
};

it("a reorganisation takes sales, their sums and their marks back, and brings others", async () => {
  const { chain, art, editions, people, sell, on } = bazaar;
  const [anna, ben, cleo] = people;
  await on(0, 9, ...sell(anna, ben, unique(art, 0n), native(ether)));
  await on(0, 10, ...sell(anna, ben, [unique(art, 1n), units(editions, 1n, 3n)], native(ether)));
  await on(0, 11, ...sell(ben, anna, unique(art, 0n), native(2n * ether)), ...sell(anna, cleo, unique(art, 2n), native(ether / 2n)));
  await on(0, 12, ...sell(ben, anna, units(editions, 1n, 1n), native(ether)));
  await running.runToHead(await chain.head());
  expect(await sales()).toEqual([
    ["0", true],
    ["1", false],
    ["1", true],
    ["0", true],
    ["2", false],
    ["1", true],
  ]);
  await expectAsIfNeverSeen();
  // The last block goes, and with it the sale that made the one of the edition a wash trade.
  await chain.rpc("anvil_reorg", [1, []]);
  await running.runToHead(await chain.head());
  expect((await sales())[2]).toEqual(["1", false]);
  await expectAsIfNeverSeen();
  // All but the first sale goes; in its place another one comes.
  await chain.rpc("anvil_reorg", [3, []]);
  await on(0, 14, ...sell(anna, cleo, unique(art, 1n), native(3n * ether)));
  await running.runToHead(await chain.head());
  expect(await sales()).toEqual([
    ["0", false],
    ["1", false],
  ]);
  await expectAsIfNeverSeen();
  const [day] = await test.database.query("SELECT sales, wash_sales, amount, lowest FROM nft_market_days");
  expect(day).toEqual({ sales: 2, wash_sales: 0, amount: String(4n * ether), lowest: String(ether) });
});

it("an index that gets sales later has them out of what it stored", async () => {
  const late = await createTestDatabase();
  const options = { chain: chainOf({ wrappedNative: [bazaar.weth] }) };
  const before = await createTestIndexer(bazaar.chain.url, late.database, { ...options, projections: [tokensProjection, nftProjection] });
  await before.runToHead(await bazaar.chain.head());
  await before.close();
  const after = await createTestIndexer(bazaar.chain.url, late.database, {
    ...options,
    projections: [tokensProjection, nftProjection, salesProjection],
  });
  await after.runToHead(await bazaar.chain.head());
  await after.close();
  expect(await salesIn(late.database)).toEqual(await salesIn(test.database));
  await late.drop();
});
