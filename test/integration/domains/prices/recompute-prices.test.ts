import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../../runtime/database/database.ts";
import { createComputePricesJob } from "../../../../runtime/domains/prices/jobs/compute-prices/job.ts";
import { discardPrices } from "../../../../runtime/domains/prices/jobs/compute-prices/price-settings.ts";
import { importPrices } from "../../../../runtime/domains/prices/jobs/import-prices/import-prices.ts";
import { parsePriceFile } from "../../../../runtime/domains/prices/jobs/import-prices/parse-price-file.ts";
import type { Job } from "../../../../runtime/jobs/job.ts";
import { nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { firstMidnight, type Market, startMarket, units } from "../dex/market.ts";
import { secondsPerDay, secondsPerHour } from "../dex/support.ts";
import { type ResponseData, servePools, type TestApi } from "../pools/serve-pools.ts";
import { uniswapV2 } from "../pools/support.ts";
import { type Pricing, startPricing } from "./support.ts";

// An operator imports or recomputes prices while the index runs. The chain's first block is on 2023-11-14.
let market: Market;
let testDatabase: TestDatabase;
let pricing: Pricing;
let api: TestApi;
/** Called between the next read and its write. */
let beforeNextWrite: (() => Promise<void>) | null = null;
const chainId = 31337;
const timeAt = (day: number, hour: number, minute = 0, second = 0): number =>
  firstMidnight + day * secondsPerDay + hour * secondsPerHour + minute * 60 + second;

/** The price job, with a hook before each write. */
const createHookedJob = (): Job => {
  const job = createComputePricesJob(market.config);
  return {
    ...job,
    run: (context) =>
      job.run({
        ...context,
        runExclusiveKeepingCache: async (work) => {
          const hook = beforeNextWrite;
          beforeNextWrite = null;
          await hook?.();
          return context.runExclusiveKeepingCache(work);
        },
      }),
  };
};
const importText = (database: Database, lines: readonly string[]): Promise<void> =>
  database.transaction((client) =>
    importPrices(client, chainId, parsePriceFile("prices.csv", ["asset,time,price", ...lines].join("\n"), ["USD", "EUR"])),
  );
/** All stored prices, and only the last row of the progress. */
const storedPrices = async (database: Database): Promise<Record<string, unknown>> => {
  const rows: Record<string, unknown> = {};
  for (const table of ["price_hours", "price_days", "priced_assets", "price_imports"])
    rows[table] = await database.query(`SELECT * FROM ${table} ORDER BY 1, 2, 3`);
  rows.progress = await database.query("SELECT * FROM price_progress ORDER BY hour DESC LIMIT 1");
  return rows;
};
/** The prices of an index that is built in one run, with these files from the beginning. */
const pricesOfFreshIndex = async (files: readonly (readonly string[])[]): Promise<Record<string, unknown>> => {
  const other = await createTestDatabase();
  for (const lines of files) await importText(other.database, lines);
  const freshPricing = await startPricing(market.chain, other.database, market.config);
  await freshPricing.computeAll();
  await freshPricing.end();
  const rows = await storedPrices(other.database);
  await other.drop();
  return rows;
};
/** Daily prices from the 4th to the 17th of the month. */
const dailyPrices = async (asset: string, currency = "USD"): Promise<(number | null)[]> => {
  const query = "from=2023-11-04&to=2023-11-17&prices-at-asc=true";
  const [item] = await api.get(`pricing/historical_by_addresses_v2/week/${currency}/${asset}/?${query}`);
  return item.prices.map(({ price }: ResponseData) => price);
};
const repeat = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const buy = (dollars: bigint) => market.mainExchange.swap(market.people[0], dollars * units.usd, [market.tokens.usd, market.tokens.gold]);

let firstFile: string[];
let secondFile: string[];

beforeAll(async () => {
  market = await startMarket();
  const { mist, gold, bare } = market.tokens;
  firstFile = [
    `${mist},2023-11-10,7`,
    `${mist},2023-11-15T12:00:00Z,9`,
    `${mist},2023-11-16,`,
    "native,2023-11-01,1500",
    `${gold},2023-11-05,1000`,
    `${bare},2023-11-05,4`,
    "EUR,2023-11-05,1.05",
  ];
  secondFile = [`${mist},2023-11-12,8.5`, "native,2023-11-12,1600"];
  testDatabase = await createTestDatabase();
  pricing = await startPricing(market.chain, testDatabase.database, market.config, () => [createHookedJob()]);
  api = await servePools(testDatabase.database, market.exchanges, () => new Date(timeAt(9, 0) * 1000));
  for (const time of [timeAt(0, 3), timeAt(0, 18, 30), timeAt(1, 2, 5), timeAt(1, 20)]) {
    await market.mineBlock(time, buy(20_000n));
    await pricing.computeAll();
  }
  await market.mineBlock(timeAt(2, 4));
  await pricing.computeAll();
}, 120_000);
afterAll(async () => {
  await api?.end();
  await pricing?.end();
  await testDatabase?.drop();
  await market?.chain.stop();
});

describe("a price file imported into a running index", () => {
  it("results in the same prices as in an index that had it from the beginning", async () => {
    const { mist, gold } = market.tokens;
    expect(await dailyPrices(mist)).toEqual(repeat(14, null));
    const before = await dailyPrices(gold);
    await importText(testDatabase.database, firstFile);
    await pricing.computeAll();
    expect(await storedPrices(testDatabase.database)).toEqual(await pricesOfFreshIndex([firstFile]));
    // There is a price from the 10th, another from noon of the 15th, and none from the 16th.
    expect(await dailyPrices(mist)).toEqual([...repeat(6, null), ...repeat(5, 7), 9, null, null]);
    // The file determines prices before the first block; from then on, the feed and the pool take precedence.
    expect(await dailyPrices(nativeTokenAddress)).toEqual([...repeat(10, 1_500), ...repeat(4, 2_000)]);
    expect(await dailyPrices(gold)).toEqual([null, ...repeat(9, 1_000), ...before.slice(10)]);
    expect(before[10]).toBe(3_000);
  });

  it("also sets currency rates, but no price for a token with unknown decimals", async () => {
    const { mist, bare } = market.tokens;
    const euros = await dailyPrices(mist, "EUR");
    // The file determines the rate until the feed's answer of the 14th, which is 1.10.
    expect(euros.slice(0, 6)).toEqual(repeat(6, null));
    for (const [day, expected] of [7 / 1.05, 7 / 1.05, 7 / 1.05, 7 / 1.05, 7 / 1.1, 9 / 1.1].entries())
      expect(euros[6 + day]).toBeCloseTo(expected, 12);
    expect(await dailyPrices(bare)).toEqual(repeat(14, null));
  });

  it("changes only prices after its first entry", async () => {
    await importText(testDatabase.database, secondFile);
    await pricing.computeAll();
    expect(await storedPrices(testDatabase.database)).toEqual(await pricesOfFreshIndex([firstFile, secondFile]));
    expect(await dailyPrices(market.tokens.mist)).toEqual([...repeat(6, null), 7, 7, ...repeat(3, 8.5), 9, null, null]);
    expect(await dailyPrices(nativeTokenAddress)).toEqual([...repeat(8, 1_500), 1_600, 1_600, ...repeat(4, 2_000)]);
  });

  it("is not lost if it is imported between the read and the write of the next prices", async () => {
    const thirdFile = [`${market.tokens.mist},2023-11-14,6`];
    beforeNextWrite = () => importText(testDatabase.database, thirdFile);
    await market.mineBlock(timeAt(2, 9), buy(30_000n));
    await pricing.computeAll();
    expect(beforeNextWrite).toBeNull();
    expect(await storedPrices(testDatabase.database)).toEqual(await pricesOfFreshIndex([firstFile, secondFile, thirdFile]));
    expect((await dailyPrices(market.tokens.mist)).slice(8)).toEqual([8.5, 8.5, 6, 9, null, null]);
    secondFile.push(...thirdFile);
  });
});

describe("a price file for the current hour", () => {
  it.each([
    ["while the chain is idle", 1, async (text: string) => importText(testDatabase.database, [text])],
    [
      "between the read and the write of a block's prices",
      2,
      async (text: string) => {
        beforeNextWrite = () => importText(testDatabase.database, [text]);
        await market.mineBlock(timeAt(2, 9, 5), buy(1_000n));
      },
    ],
  ])("takes effect immediately %s", async (_, minute, importLine) => {
    const line = `${market.tokens.mist},${timeAt(2, 9, minute - 1)},${minute}.5`;
    await importLine(line);
    await pricing.computeAll();
    secondFile.push(line);
    expect((await dailyPrices(market.tokens.mist)).at(-1)).toBe(minute + 0.5);
    expect(await storedPrices(testDatabase.database)).toEqual(await pricesOfFreshIndex([firstFile, secondFile]));
  });
});

describe("prices that are deleted for recomputation", () => {
  it("are recomputed to the same values while indexing continues", async () => {
    const end = `${market.tokens.mist},${timeAt(2, 10)},`;
    secondFile.push(end);
    await importText(testDatabase.database, [end]);
    await market.mineBlock(timeAt(2, 11, 10), buy(5_000n));
    await pricing.computeAll();
    await testDatabase.database.transaction((client) => discardPrices(client, chainId, null));
    expect(await dailyPrices(market.tokens.gold)).toEqual(repeat(14, null));
    await market.mineBlock(timeAt(2, 13, 40), buy(6_000n));
    beforeNextWrite = () => testDatabase.database.transaction((client) => discardPrices(client, chainId, null));
    await pricing.computeAll();
    expect(beforeNextWrite).toBeNull();
    expect(await storedPrices(testDatabase.database)).toEqual(await pricesOfFreshIndex([firstFile, secondFile]));
  });
});

describe("an outdated preliminary price", () => {
  it.each([
    ["by the process that computed it", () => undefined, 3],
    ["by the next process", () => pricing.restartJobs(), 4],
  ])("is deleted %s", async (_, interrupt, day) => {
    const { mainExchange, people, tokens } = market;
    const [, person] = people;
    const { usd, mist } = tokens;
    // The pool exists for 445 of the 900 seconds before the hour, too few for a bucket's price, and for 455 of the 901 up to the
    // head, enough for a current price.
    await market.mineBlock(
      timeAt(day, 4, 52, 35),
      mainExchange.addLiquidity(person, [usd, mist], [90_000n * units.usd, 30_000n * units.mist]),
    );
    const pair = await mainExchange.pairOf(usd, mist);
    await market.mineBlock(timeAt(day, 5, 0, 10), {
      from: person,
      ...encodeCall(uniswapV2.pair(), pair, "approve", [mainExchange.router, 10n ** 40n]),
    });
    const price = async () =>
      (
        await testDatabase.database.query<{ close: string | null }>(
          "SELECT close FROM price_hours WHERE asset = decode($1, 'hex') ORDER BY hour DESC LIMIT 1",
          [mist.slice(2)],
        )
      )[0]?.close ?? null;
    await pricing.computeAll();
    expect(await price()).not.toBeNull();
    interrupt();
    const shares = BigInt(
      await market.chain.rpc<string>("eth_call", [encodeCall(uniswapV2.pair(), pair, "balanceOf", [person]), "latest"]),
    );
    await market.mineBlock(timeAt(day, 5, 0, 11), mainExchange.removeLiquidity(person, [usd, mist], shares));
    await market.mineBlock(timeAt(day, 7), buy(100n));
    await pricing.computeAll();
    expect(await price()).toBeNull();
    const days = await testDatabase.database.query(
      "SELECT FROM price_days WHERE asset = decode($1, 'hex') AND close IS NOT NULL AND day >= $2",
      [mist.slice(2), timeAt(3, 0) / secondsPerDay],
    );
    expect(days).toEqual([]);
  });
});

describe("a token without transfers", () => {
  it("has known decimals once a file prices it", async () => {
    // Its constructor emits no event, so it is not indexed; the token has 18 decimals.
    const token = (await market.chain.deploy(artifacts.erc20(), ["Still", "STILL"])).toLowerCase();
    await market.chain.mine();
    await importText(testDatabase.database, [`${token},2023-11-16,3`]);
    await pricing.computeAll();
    const [item] = await api.get(`pricing/historical_by_addresses_v2/week/USD/${token}/?from=2023-11-15&to=2023-11-16`);
    expect(item).toMatchObject({ contract_decimals: 18, prices: [{ price: 3 }, { price: null }] });
  });
});
