import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { poolsProjection } from "../../../../runtime/domains/pools/projection/index.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { artifacts, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer } from "../../../support/indexer/support.ts";
import { type ResponseData, servePools, type TestApi } from "../pools/serve-pools.ts";
import { approve, deployExchange, mineTransactions, mint, type TestExchange } from "../pools/support.ts";
import { announceEarly } from "./announced-pool.ts";
import { finishHours, type PricedAsset, rollUp, secondsPerHour, writePrices } from "./support.ts";

// Pages through lists that are ranked hourly, while hours pass.
let chain: TestChain;
let exchange: TestExchange;
let testDatabase: TestDatabase;
let api: TestApi;
let person: Address;
/** The price of each token is one cent per smallest unit. */
let tokens: readonly [Address, Address, Address];
/** Pools of the first two tokens, the last two, and the first and the last. */
let pools: readonly [Address, Address, Address];
let firstHour: number;
let headHour: number;

const toLower = (address: string): Address => address.toLowerCase() as Address;
/** The last block of each hour; every hour has at most one. */
const closingBlocks = new Map<number, number>();
const closingBlock = (hour: number): number => closingBlocks.get(hour) ?? 0;
const indexInto = async (database: TestDatabase): Promise<void> => {
  const indexer = await createTestIndexer(chain.url, database.database, { projections: [tokensProjection, poolsProjection] });
  await indexer.runToHead(await chain.head());
  await indexer.close();
};
/** Sends transactions in the middle of a later hour; the hours in between have no block. */
const mineInHour = async (hour: number, ...transactions: Parameters<typeof mineTransactions>[1]): Promise<void> => {
  await mineTransactions(chain, transactions, hour * secondsPerHour + 1_800);
  for (let passed = headHour; passed < hour; passed += 1) closingBlocks.set(passed, await chain.head());
  headHour = hour;
  await indexInto(testDatabase);
};
const computePrices = async (last: number, database = testDatabase.database): Promise<void> => {
  const pricedAssets = tokens.map((asset): PricedAsset => ({ asset, decimals: 0, centsAt: () => 1n }));
  await writePrices(database, pricedAssets, firstHour, last, closingBlock);
  await finishHours(database, firstHour, last, closingBlock);
};
const addLiquidity = (pair: number, amount: bigint) => {
  const [a, b, c] = tokens;
  const pairs = [
    [a, b],
    [b, c],
    [a, c],
  ] as const;
  return exchange.addLiquidity(person, pairs[pair] ?? [a, b], [amount, amount]);
};
const trade = () => {
  const [a, b, c] = tokens;
  return [exchange.swap(person, 100n, [a, b, c, a])];
};
const page = async (list: string, number: number): Promise<ResponseData> =>
  api.get(`week/xy=k/swap/${list}/?page-size=1&page-number=${number}`);
const poolOf = async (number: number): Promise<Address> => (await page("pools", number)).items[0]?.exchange;
const storedHours = async (database = testDatabase.database): Promise<number[]> =>
  (await database.query<{ hour: number }>("SELECT hour FROM exchange_hours ORDER BY hour")).map(({ hour }) => hour);

beforeAll(async () => {
  chain = await startTestChain();
  person = toLower(chain.accounts[1] as string);
  exchange = await deployExchange(chain, toLower(await chain.deploy(artifacts.weth())));
  const deployed: Address[] = [];
  for (const name of ["A", "B", "C"]) deployed.push(toLower(await chain.deploy(artifacts.erc20(), [name, name])));
  tokens = deployed as unknown as typeof tokens;
  const [a, b, c] = tokens;
  await mineTransactions(
    chain,
    deployed.flatMap((token) => [mint(token, person, 10n ** 30n), approve(person, token, exchange.router)]),
  );
  // Another factory announces the last pool before its creation, so it is in no exchange's stored sums, but must be in this exchange's lists.
  const pair = await announceEarly(chain, exchange, [a, c], [a, b]);
  await mineTransactions(chain, [addLiquidity(0, 3_000_000n), addLiquidity(1, 2_000_000n), addLiquidity(2, 1_000_000n)]);
  pools = [await exchange.pairOf(a, b), await exchange.pairOf(b, c), await exchange.pairOf(a, c)];
  expect(pair).toBe(pools[2]);
  const { timestamp } = await chain.rpc<{ timestamp: string }>("eth_getBlockByNumber", ["latest", false]);
  firstHour = Math.floor(Number(timestamp) / secondsPerHour);
  headHour = firstHour;
  testDatabase = await createTestDatabase();
  api = await servePools(testDatabase.database, [{ name: "swap", factory: exchange.factory }]);
  await mineInHour(firstHour + 1, ...trade());
  await mineInHour(firstHour + 2);
  await computePrices(firstHour + 1);
  await rollUp(testDatabase.database, [exchange.factory]);
}, 60_000);
afterAll(async () => {
  await api?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

describe("an exchange with a pool that another factory claims", () => {
  it("includes the claimed pool in its roll-up", async () => {
    expect(
      await testDatabase.database.query("SELECT FROM shared_pools WHERE factory = $1", [Buffer.from(exchange.factory.slice(2), "hex")]),
    ).toHaveLength(1);
    // Each of the three pools has one swap. Liquidity of 3, 2 and 1 million of both tokens is 12 million tokens, at one cent each.
    const lastHour = "SELECT pools, swaps, ranked_tokens, liquidity FROM exchange_hours ORDER BY hour DESC LIMIT 1";
    const [hour] = await testDatabase.database.query<{ liquidity: string }>(lastHour);
    expect(hour).toMatchObject({ pools: 3, swaps: 3, ranked_tokens: 3 });
    const { items } = await api.get("week/xy=k/swap/tokens/");
    const total = items.map((item: ResponseData) => Number(item.total_liquidity)).reduce((sum: number, amount: number) => sum + amount, 0);
    // Each swap sells the output of the previous one; the trader's losses remain in the pools.
    expect(total).toBeGreaterThanOrEqual(12_000_000);
    expect(total).toBeLessThan(12_000_010);
    expect(Number(hour?.liquidity)).toBe(total / 100);
    expect((await api.get("week/xy=k/swap/ecosystem/")).items).toMatchObject([{ total_swaps_24h: 3, total_active_pairs_7d: 3 }]);
  });
});

describe("pages of a ranked list", () => {
  it("keep the ranking of the first page's hour", async () => {
    const [largest, middle, smallest] = pools;
    const tokenPages = async (from: number) => [(await page("tokens", from)).items[0], (await page("tokens", from + 1)).items[0]];
    expect(await poolOf(0)).toBe(largest);
    const [first, second, third] = [0, 1, 2].map((position) => tokens[position]);
    // Pools hold 4 million of the first token, 5 of the second, 3 of the third.
    expect((await page("tokens", 0)).items[0].contract_address).toBe(second);
    // The smallest pool becomes the largest, as do its tokens.
    await mineInHour(firstHour + 3, addLiquidity(2, 10n ** 9n));
    await mineInHour(firstHour + 4);
    await computePrices(firstHour + 3);
    expect(await rollUp(testDatabase.database, [exchange.factory])).toBeGreaterThan(0);
    expect([await poolOf(1), await poolOf(2)]).toEqual([middle, smallest]);
    expect((await tokenPages(1)).map((token) => token.contract_address)).toEqual([first, third]);
    expect((await page("pools", 2)).pagination.has_more).toBe(false);
    // A request for the first page starts a new list.
    expect([await poolOf(0), await poolOf(1), await poolOf(2)]).toEqual([smallest, largest, middle]);
    expect((await page("tokens", 2)).items[0].contract_address).toBe(third);
    expect((await page("tokens", 0)).items[0].contract_address).toBe(first);
    expect((await page("tokens", 2)).items[0].contract_address).toBe(second);
  });

  it("are ranked by the previous hour until the last one is rolled up, and keep that ranking afterwards", async () => {
    const [largest, middle, smallest] = pools;
    // After two hours without a block, the middle pool becomes the largest.
    await mineInHour(firstHour + 6, addLiquidity(1, 10n ** 10n));
    await mineInHour(firstHour + 7);
    const before = (await api.get("week/xy=k/swap/pools/")).items;
    expect(before.map((item: ResponseData) => item.exchange)).toEqual([smallest, largest, middle]);
    expect(await poolOf(0)).toBe(smallest);
    await computePrices(firstHour + 6);
    await rollUp(testDatabase.database, [exchange.factory]);
    expect([await poolOf(1), await poolOf(2)]).toEqual([largest, middle]);
    expect([await poolOf(0), await poolOf(1), await poolOf(2)]).toEqual([middle, smallest, largest]);
  });

  it("do not mix hours that end with the same block before their prices are computed", async () => {
    await mineInHour(firstHour + 11);
    // Hours 7 to 10 ended with the same block; only the prices of hour 7 are computed.
    await computePrices(firstHour + 7);
    expect(await rollUp(testDatabase.database, [exchange.factory])).toBe(0);
    await computePrices(firstHour + 10);
    expect(await rollUp(testDatabase.database, [exchange.factory])).toBe(1);
    expect((await storedHours()).at(-1)).toBe(firstHour + 10);
  });

  it("are sorted by address if no recent hour is rolled up", async () => {
    await mineInHour(firstHour + 16);
    expect((await api.get("week/xy=k/swap/pools/")).items.map((item: ResponseData) => item.exchange)).toEqual([...pools].sort());
    await computePrices(firstHour + 15);
    await rollUp(testDatabase.database, [exchange.factory]);
    expect(await poolOf(0)).toBe(pools[1]);
  });
});

describe("rolled-up hours", () => {
  const isLastOfDay = (hour: number) => hour % 24 === 23;

  it("are retained while pages may refer to them; the last hour of each day is retained forever", async () => {
    for (let hour = 17; hour <= 31; hour += 1) {
      await mineInHour(firstHour + hour, ...trade());
      await computePrices(firstHour + hour - 1);
      await rollUp(testDatabase.database, [exchange.factory]);
    }
    const all = Array.from({ length: 31 }, (_, position) => firstHour + position);
    const last = firstHour + 30;
    expect(await storedHours()).toEqual(all.filter((hour) => isLastOfDay(hour) || hour > last - 4));
    for (const table of ["exchange_hour_pools", "exchange_hour_tokens"]) {
      const rows = await testDatabase.database.query<{ hour: number }>(`SELECT DISTINCT hour FROM ${table} ORDER BY hour`);
      expect(rows.map(({ hour }) => hour)).toEqual(all.filter((hour) => isLastOfDay(hour) || hour > last - 4));
    }
  });

  it("are skipped if no list can refer to them, for example when old prices are recomputed", async () => {
    const hours = [4, 5, 6].map((hoursBehind) => firstHour + 30 - hoursBehind).filter((hour) => !isLastOfDay(hour));
    for (const hour of hours) {
      await testDatabase.database.query("DELETE FROM price_progress WHERE hour > $1", [hour]);
      expect(await rollUp(testDatabase.database, [exchange.factory]), String(hour)).toBe(0);
    }
    await computePrices(firstHour + 30);
  });

  it("are not written if a reorganisation drops their block before the write", async () => {
    const hour = firstHour + 30;
    await testDatabase.database.query("DELETE FROM exchange_hours WHERE hour = $1", [hour]);
    const replaced = Buffer.alloc(32, 7);
    const [block] = await testDatabase.database.query<{ hash: string }>("SELECT hash FROM blocks WHERE number = $1", [closingBlock(hour)]);
    const setHash = (hash: Buffer) =>
      testDatabase.database.query("UPDATE blocks SET hash = $2 WHERE number = $1", [closingBlock(hour), hash]);
    const runExclusiveKeepingCache: NonNullable<Parameters<typeof rollUp>[2]>["runExclusiveKeepingCache"] = async (work) => {
      await setHash(replaced);
      return testDatabase.database.transaction((client) => work(client, { number: closingBlock(hour), hash: "0x00" as never }));
    };
    expect(await rollUp(testDatabase.database, [exchange.factory], { runExclusiveKeepingCache })).toBe(0);
    expect(await storedHours()).not.toContain(hour);
    await setHash(Buffer.from(String(block?.hash).slice(2), "hex"));
    expect(await rollUp(testDatabase.database, [exchange.factory], { runExclusiveKeepingCache: async () => null })).toBe(0);
    expect(await rollUp(testDatabase.database, [exchange.factory])).toBe(1);
    expect(await storedHours()).toContain(hour);
  });

  it("are deleted by a reorganisation and recomputed as in an index without it", async () => {
    const [hour, height] = [firstHour + 30, closingBlock(firstHour + 30)];
    expect(await chain.head()).toBe(height);
    // The block that ended the hour and the previous one, which has swaps, are replaced.
    await chain.rpc("anvil_reorg", [2, []]);
    await indexInto(testDatabase);
    expect(await storedHours()).not.toContain(hour);
    expect((await testDatabase.database.query("SELECT FROM exchange_hour_pools WHERE block_number >= $1", [height - 1])).length).toBe(0);
    await testDatabase.database.query("DELETE FROM price_progress WHERE hour >= $1", [hour - 1]);
    const times = await chain.batch<{ timestamp: string }>(
      [height - 1, height].map((number) => ({ method: "eth_getBlockByNumber", params: [`0x${number.toString(16)}`, false] })),
    );
    headHour = Math.floor(Number(times[0]?.timestamp) / secondsPerHour);
    for (const passed of [hour - 1, hour]) closingBlocks.delete(passed);
    closingBlocks.set(hour - 1, height - 1);
    await mineInHour(Math.max(firstHour + 32, Math.floor(Number(times[1]?.timestamp) / secondsPerHour) + 1), ...trade());
    await mineInHour(headHour + 1);
    await computePrices(headHour - 1);
    await rollUp(testDatabase.database, [exchange.factory]);
    const fresh = await createTestDatabase();
    await indexInto(fresh);
    await computePrices(headHour - 1, fresh.database);
    await rollUp(fresh.database, [exchange.factory]);
    for (const table of ["exchange_hours", "exchange_hour_pools", "exchange_hour_tokens"]) {
      const rowsOf = (database: TestDatabase) =>
        database.database.query(`SELECT * FROM ${table} WHERE hour = $1 OR hour % 24 = 23 ORDER BY 1, 2, 3, 4`, [headHour - 1]);
      expect(await rowsOf(testDatabase), table).toEqual(await rowsOf(fresh));
    }
    await fresh.drop();
  });
});
