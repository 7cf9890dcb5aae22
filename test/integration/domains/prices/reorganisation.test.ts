import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChainConfig } from "../../../../runtime/config/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { type Market, midnight, openMarket, unit } from "./market.ts";
import { type Pricing, pricedChain, pricesIn, pricesOfFreshIndex, startPricing } from "./support.ts";

let market: Market;
let settings: ChainConfig;
let testDatabase: TestDatabase;
let pricing: Pricing;

beforeAll(async () => {
  market = await openMarket();
  const { chain, exchange, usd } = market;
  settings = pricedChain({ exchanges: [{ name: "swap", factory: exchange.factory }], prices: { stablecoins: [{ token: usd }] } });
  await chain.mine(midnight);
  testDatabase = await createTestDatabase();
  pricing = await startPricing(chain, testDatabase.database, settings);
  await pricing.computeAll();
}, 120_000);

afterAll(async () => {
  await pricing?.end();
  await testDatabase?.drop();
  await market?.chain.stop();
});

/** Replaces the last `depth` blocks with empty ones. */
const reorganise = (depth: number) => market.chain.rpc("anvil_reorg", [depth, []]);
const expectEqualToFreshIndex = async () => {
  await pricing.computeAll();
  expect(await pricesIn(testDatabase.database)).toEqual(await pricesOfFreshIndex(market.chain, settings));
};

describe("prices after a reorganisation", () => {
  it("equal the prices of a fresh index, even if the chain grew before they were recomputed", async () => {
    const { chain, swap, usd, token } = market;
    const before = await pricesIn(testDatabase.database);
    await swap(midnight + 60, 100_000n * unit, [usd, token]);
    await swap(midnight + 3_600, 100_000n * unit, [usd, token]);
    await chain.mine(midnight + 5_000);
    await pricing.computeAll();
    const followed = await pricesIn(testDatabase.database);
    expect(followed.price_hours?.length).toBeGreaterThan(before.price_hours?.length ?? 0);
    await reorganise(3);
    // The new branch is longer than the old one when its prices are computed.
    for (const time of [midnight + 6_000, midnight + 7_300, midnight + 7_400]) await chain.mine(time);
    await expectEqualToFreshIndex();
    // The new branch is empty, so only the hours before it have rows.
    expect((await pricesIn(testDatabase.database)).price_hours?.filter((line) => line.includes(`,${midnight / 3_600},`))).toEqual([]);
  }, 60_000);

  it("equal the prices of a fresh index for reorganisations within an hour, across hours and across days", async () => {
    const { chain, swap, usd, token, other } = market;
    for (const [times, depth] of [
      [[8_000, 8_100, 8_200], 2],
      [[10_000, 14_500, 18_100], 3],
      [[80_000, 86_000, 86_500, 90_100], 3],
      [[90_200, 90_300], 1],
    ] as const) {
      for (const time of times) await swap(midnight + time, 50_000n * unit, time % 1_000 === 0 ? [usd, token] : [other, token, usd]);
      await pricing.computeAll();
      await reorganise(depth);
      const { timestamp } = await chain.rpc<{ timestamp: string }>("eth_getBlockByNumber", ["latest", false]);
      for (let count = 1; count <= 3; count += 1) await chain.mine(Number(timestamp) + count * 500);
      await expectEqualToFreshIndex();
    }
  }, 120_000);

  it("equal the prices of a fresh index if a pool's first liquidity is rolled back", async () => {
    const { chain, exchange, usd, other } = market;
    const [owner] = chain.accounts as [`0x${string}`];
    await chain.send(exchange.addLiquidity(owner, [usd, other], [90_000n * unit, 10n * unit]));
    await chain.mine(midnight + 100_000);
    await chain.mine(midnight + 101_000);
    await pricing.computeAll();
    const pair = await exchange.pairOf(usd, other);
    expect((await pricesIn(testDatabase.database)).priced_assets?.some((line) => line.includes(pair.slice(2)))).toBe(true);
    await reorganise(2);
    await chain.mine(midnight + 104_000);
    await expectEqualToFreshIndex();
    expect((await pricesIn(testDatabase.database)).priced_assets?.some((line) => line.includes(pair.slice(2)))).toBe(false);
  }, 60_000);
});
