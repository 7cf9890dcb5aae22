import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { type Address, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import type { TestTransaction } from "../../../support/chain.ts";
import { dump } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { servePools, type TestApi } from "../pools/serve-pools.ts";
import { type Pricing, startPricing } from "../prices/support.ts";
import { firstMidnight, type Market, startMarket, units } from "./market.ts";
import { secondsPerDay, secondsPerHour } from "./support.ts";

// An index that followed reorganisations is compared with a fresh one that never indexed the dropped blocks.
let market: Market;
let testDatabase: TestDatabase;
let pricing: Pricing;
let followedApi: TestApi;
const random = createRandom("branches of trade");
const timeAt = (day: number, hour: number, minute = 0): number => firstMidnight + day * secondsPerDay + hour * secondsPerHour + minute * 60;
const clock = () => new Date(timeAt(9, 0) * 1000);

const randomTransaction = (): TestTransaction => {
  const { mainExchange, twinExchange, concentratedExchange, concentratedPoolKey, people, tokens } = market;
  const { usd, gold, ticket, saffron, toll, bare } = tokens;
  const person = random.pick(people);
  const part = BigInt(random.between(1, 40));
  return random.pick([
    () => mainExchange.swap(person, part * 1_000n * units.usd, [usd, gold]),
    () => mainExchange.swap(person, (part * units.gold) / 3n, [gold, usd]),
    () => mainExchange.swap(person, part * 10n, [ticket, usd]),
    () => mainExchange.swap(person, part * 100n * units.usd, [usd, ticket]),
    () => mainExchange.swap(person, part * 10n ** 6n, [bare, gold]),
    () => twinExchange.swap(person, part * 200n * units.usd, [usd, gold, saffron]),
    () => twinExchange.swap(person, part * 2_000n * units.saffron, [saffron, gold]),
    () => twinExchange.swap(person, part * 100n * units.toll, [toll, usd]),
    () => twinExchange.swap(person, part * 100n * units.usd, [usd, toll]),
    () => concentratedExchange.swap(person, part * 500n * units.usd, concentratedPoolKey, concentratedPoolKey.tokens[0] === usd ? 0 : 1),
    () => mainExchange.addLiquidity(person, [usd, gold], [part * 3_000n * units.usd, part * units.gold]),
    () => twinExchange.addLiquidity(person, [usd, toll], [part * 200n * units.usd, part * 100n * units.toll]),
    () => mainExchange.removeLiquidity(people[0], [usd, gold], part * 10n ** 11n),
    () => market.answer("ether", 2_000_00000000n + part * 10_00000000n),
    () => market.answer("euro", 1_00000000n + part * 100_000n),
  ])();
};
const randomTransactions = (count = 4): TestTransaction[] => Array.from({ length: count }, randomTransaction);
/** The transaction that creates a token's first pool, which sets the token's price. */
const newPool = () => {
  const { mainExchange, tokens, people } = market;
  return mainExchange.addLiquidity(people[1], [tokens.usd, tokens.mist], [90_000n * units.usd, 30_000n * units.mist]);
};

/** Price rows except those that repeat the previous close: their number depends on how often provisional prices were computed. */
const priceChanges = (database: Database, span: "hour" | "day") =>
  database.query(
    `SELECT asset, ${span}, open, high, low, close, block_number FROM (
       SELECT *, lag(close) OVER each AS before, row_number() OVER each AS position FROM price_${span}s WINDOW each AS (PARTITION BY asset ORDER BY ${span})) p
     WHERE position = 1 OR num_nonnulls(open, high, low, close, before) NOT IN (0, 5) OR (open, high, low, close) IS DISTINCT FROM (before, before, before, before)
     ORDER BY asset, ${span}`,
  );

/** All derived rows, with roll-ups of the given hours only and only the last row of the price progress. */
const tablesOf = async (database: Database, hours: ReadonlySet<number>): Promise<Record<string, unknown>> => {
  const rows: Record<string, unknown> = await dump(database);
  rows.price_hours = await priceChanges(database, "hour");
  rows.price_days = await priceChanges(database, "day");
  rows.price_progress = await database.query("SELECT * FROM price_progress ORDER BY hour DESC LIMIT 1");
  for (const table of ["exchange_hours", "exchange_hour_pools", "exchange_hour_tokens"])
    rows[table] = await database.query(`SELECT * FROM ${table} WHERE hour = ANY ($1::int4[]) ORDER BY 1, 2, 3, 4`, [[...hours]]);
  return rows;
};
const hoursOf = async (database: Database): Promise<Set<number>> =>
  new Set((await database.query<{ hour: number }>("SELECT DISTINCT hour FROM exchange_hours")).map(({ hour }) => hour));

/** Returns the paths of all operations about exchanges, prices and balances. */
const paths = (): string[] => {
  const { people, pairs, tokens } = market;
  const exchangePaths = (name: string, pools: readonly Address[], traded: readonly Address[]): string[] =>
    [
      ...["pools/", "pools/?date=2023-11-16", "tokens/", "transactions/?quote-currency=EUR", "ecosystem/", "health/"],
      ...people.flatMap((person) => [`address/${person}/balances/`, `address/${person}/transactions/`]),
      ...pools.flatMap((pool) => [`pools/address/${pool}/`, `pools/address/${pool}/transactions/`]),
      ...traded.flatMap((token) =>
        ["", "view/", "view/?quote-currency=EUR", "transactions/"].map((rest) => `tokens/address/${token}/${rest}`),
      ),
    ].map((path) => `week/xy=k/${name}/${path}`);
  const { usd, gold, ticket, saffron, toll, bare } = tokens;
  const pooledTokens = Object.values(tokens).filter((token) => token !== tokens.mist);
  return [
    "xy=k/supported_dexes/",
    ...exchangePaths("swap", [pairs.gold, pairs.ticket, pairs.bare], [usd, gold, ticket, bare]),
    ...exchangePaths("twin", [pairs.twinGold, pairs.saffron, pairs.toll], [usd, gold, saffron, toll]),
    ...Object.values(pairs).map((pair) => `week/xy=k/address/${pair}/dex_name/`),
    ...pooledTokens.map((token) => `week/xy=k/tokens/address/${token}/pools/page/0/?quote-currency=EUR`),
    ...people.flatMap((person) => [`week/xy=k/address/${person}/pools/page/0/`, `week/address/${person}/balances_v2/`]),
    ...["USD", "EUR"].map(
      (currency) =>
        `pricing/historical_by_addresses_v2/week/${currency}/${[...Object.values(tokens), ...Object.values(pairs), nativeTokenAddress]}/?from=2023-11-14&to=2023-11-20`,
    ),
    `pricing/historical_by_addresses_v2/week/USD/${tokens.mist}/?from=2023-11-14&to=2023-11-20`,
  ];
};
const responsesOf = async (api: TestApi): Promise<Record<string, unknown>> => {
  const all: Record<string, unknown> = {};
  for (const path of paths()) {
    const { status, data, message } = await api.request(path);
    all[path] = { status, data, message };
  }
  return all;
};

/** Compares the index with a fresh index of the current chain, whose jobs run once, at the end. */
const expectEqualToFreshIndex = async (): Promise<void> => {
  await pricing.computeAll();
  const fresh = await createTestDatabase();
  const other = await startPricing(market.chain, fresh.database, market.config, market.jobs);
  await other.computeAll();
  await other.end();
  const api = await servePools(fresh.database, market.exchanges, clock);
  const keptHours = await hoursOf(fresh.database);
  expect(await tablesOf(testDatabase.database, keptHours)).toEqual(await tablesOf(fresh.database, keptHours));
  const [actual, expected] = [await responsesOf(followedApi), await responsesOf(api)];
  for (const path of paths()) expect(actual[path], path).toEqual(expected[path]);
  expect(pricing.warnings).toEqual([]);
  await api.end();
  await fresh.drop();
};
/** Mines blocks at given times, with prices and roll-ups after each of them. */
const mineAt = async (times: readonly number[], transactions: () => readonly TestTransaction[] = randomTransactions): Promise<void> => {
  for (const time of times) {
    await market.mineBlock(time, ...transactions());
    await pricing.computeAll();
  }
};
/** Mines blocks and restarts the jobs after each: prices are computed, but only the first due roll-up runs. */
const mineWithRestarts = async (times: readonly number[]): Promise<void> => {
  for (const time of times) {
    await market.mineBlock(time, ...randomTransactions());
    await pricing.computeAll(1);
    pricing.restartJobs();
  }
};
/** Reverts the node to a snapshot and takes the snapshot again. Returns its new id. */
const revertToSnapshot = async (snapshot: string): Promise<string> => {
  await market.chain.rpc("evm_revert", [snapshot]);
  return market.chain.rpc<string>("evm_snapshot");
};

let snapshot: string;
let lateSnapshot: string;

beforeAll(async () => {
  market = await startMarket();
  testDatabase = await createTestDatabase();
  pricing = await startPricing(market.chain, testDatabase.database, market.config, market.jobs);
  followedApi = await servePools(testDatabase.database, market.exchanges, clock);
  await mineAt([timeAt(0, 1), timeAt(0, 9, 20), timeAt(0, 9, 50), timeAt(0, 17, 5), timeAt(0, 23, 40)]);
  snapshot = await market.chain.rpc<string>("evm_snapshot");
  await mineAt([timeAt(1, 2, 10)], () => [newPool()]);
  await mineAt([
    timeAt(1, 8),
    timeAt(1, 8, 31),
    timeAt(1, 21),
    timeAt(2, 3, 15),
    timeAt(2, 14, 45),
    timeAt(2, 15, 1),
    timeAt(3, 0, 30),
    timeAt(3, 10, 20),
  ]);
  lateSnapshot = await market.chain.rpc<string>("evm_snapshot");
}, 120_000);
afterAll(async () => {
  await followedApi?.end();
  await pricing?.end();
  await testDatabase?.drop();
  await market?.chain.stop();
});

describe("a reorganisation of swaps", () => {
  it("leaves only prices of the new branch if it is within an hour", async () => {
    const { mainExchange, people, tokens } = market;
    await mineAt([timeAt(3, 10, 25)], () => [
      mainExchange.swap(people[0], 900_000n * units.usd, [tokens.usd, tokens.gold]),
      market.answer("ether", 3_000_00000000n),
    ]);
    lateSnapshot = await revertToSnapshot(lateSnapshot);
    // The new branch is longer than the dropped one before the jobs run.
    await market.mineBlock(timeAt(3, 10, 26), ...randomTransactions());
    await market.mineBlock(timeAt(3, 10, 41), ...randomTransactions());
    await expectEqualToFreshIndex();
  });

  it("rolls back closed hours and a closed day if the new branch is shorter", async () => {
    lateSnapshot = await revertToSnapshot(lateSnapshot);
    await mineAt([timeAt(3, 10, 30), timeAt(3, 10, 50)]);
    await mineWithRestarts([timeAt(3, 11, 40), timeAt(3, 11, 55), timeAt(3, 12, 30)]);
    await mineAt([timeAt(3, 18), timeAt(3, 23, 40)]);
    await mineWithRestarts([timeAt(4, 0, 20), timeAt(4, 1, 10)]);
    lateSnapshot = await revertToSnapshot(lateSnapshot);
    await market.mineBlock(timeAt(3, 10, 40), ...randomTransactions());
    await market.mineBlock(timeAt(3, 12, 10), ...randomTransactions());
    await expectEqualToFreshIndex();
  });

  it("leaves the hours and days of the new branch if it is longer", async () => {
    await mineAt([timeAt(3, 13, 30), timeAt(3, 19), timeAt(4, 5)]);
    lateSnapshot = await revertToSnapshot(lateSnapshot);
    for (const time of [
      timeAt(3, 10, 45),
      timeAt(3, 11, 20),
      timeAt(3, 11, 50),
      timeAt(3, 16),
      timeAt(4, 0, 5),
      timeAt(4, 9),
      timeAt(4, 9, 40),
      timeAt(5, 2),
      timeAt(5, 3, 30),
    ])
      await market.mineBlock(time, ...randomTransactions(6));
    await expectEqualToFreshIndex();
  });

  it("removes a pool, its actions and the price that it determined", async () => {
    const path = `pricing/historical_by_addresses_v2/week/USD/${market.tokens.mist}/?from=2023-11-17&to=2023-11-17`;
    // 90,000 dollars for 30,000 tokens.
    expect((await followedApi.get(path))[0].prices[0].price).toBe(3);
    snapshot = await revertToSnapshot(snapshot);
    await market.mineBlock(timeAt(1, 4), ...randomTransactions());
    await market.mineBlock(timeAt(1, 5, 10), ...randomTransactions());
    await expectEqualToFreshIndex();
    expect((await followedApi.get(path))[0].prices[0].price).toBeNull();
  });
});
