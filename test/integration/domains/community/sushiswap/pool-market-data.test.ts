import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { timeOf } from "../operations.ts";
import { expectNear, type PoolIndex, secondsPerDay, startPoolIndex } from "./pool-index.ts";

let pools: PoolIndex;

beforeAll(async () => {
  pools = await startPoolIndex("market data of pools");
}, 120_000);
afterAll(() => pools?.end());

describe("market_data and markets of protocol 07", () => {
  it("have the reserves and supplies that the pools return, at five heights", async () => {
    const { market, heights, itemsOf, poolAt, valueOfReserves } = pools;
    for (const height of heights) {
      const items = await itemsOf("market_data", { height });
      expect(items.map(({ pool_address }) => pool_address).sort()).toEqual([...market.pools].sort());
      for (const item of items) {
        const pool = await poolAt(item.pool_address as Address, height);
        expect(item).toMatchObject({
          name: "Pool",
          asset_address: null,
          total_supply: null,
          borrow_rate: null,
          lp_token_address: item.pool_address,
          lp_token_total_supply: String(pool.supply),
          block_height: height,
        });
        // The empty pool has a token without a price.
        const value = item.pool_address === market.empty ? 0 : valueOfReserves(pool);
        expectNear(item.total_value_locked_quote, value, `${item.pool_address} at ${height}`);
        expect(item.total_supply_quote).toBe(item.total_value_locked_quote);
      }
    }
  });

  it("are ordered by value, unknown values last, and agree with each other", async () => {
    const markets = await pools.itemsOf("markets");
    const values = markets.map(({ total_value_locked_quote: value }) => (value ?? -1) as number);
    expect(values).toEqual([...values].sort((left, right) => right - left));
    expect(values.filter((value) => value < 0)).toHaveLength(2);
    const details = await pools.itemsOf("market_data");
    for (const [position, item] of markets.entries()) expect(details[position]).toMatchObject(item);
  });

  it("use the annualised growth of √(reserve0 × reserve1) per pool token within 30 days as their supply rate", async () => {
    const { chain, head, heights, itemsOf } = pools;
    const times = await Promise.all(Array.from({ length: head + 1 }, (_, height) => timeOf(chain, height)));
    const found = new Set<boolean>();
    for (const height of heights) {
      for (const { pool_address, supply_rate } of await itemsOf("markets", { height })) {
        const expected = await rateOf(pool_address as Address, height, times);
        found.add(expected === null);
        if (expected === null) expect(supply_rate, `${pool_address} at ${height}`).toBeNull();
        else expect(Math.abs((supply_rate as number) - expected), `${pool_address} at ${height}`).toBeLessThan(1e-11);
      }
    }
    expect(found).toEqual(new Set([true, false]));
    const [largest] = await itemsOf("markets");
    expect(largest?.supply_rate).toBeGreaterThan(0);
  });

  it("are restricted to one pool by its address, and empty for a pool of another exchange", async () => {
    const { market, itemsOf } = pools;
    const [pool] = market.pools as [Address];
    expect((await itemsOf("market_data", { pool })).map(({ pool_address }) => pool_address)).toEqual([pool]);
    const { gold, silver } = market.tokens;
    expect(await itemsOf("market_data", { pool: await market.foreign.pairOf(gold, silver) })).toEqual([]);
  });
});

const month = 30 * secondsPerDay;
const year = 365 * secondsPerDay;

/** The rate of a pool from its views; null without a supply, or if both states have the same time. */
const rateOf = async (pool: Address, height: number, times: readonly number[]): Promise<number | null> => {
  const { market, poolAt } = pools;
  if (pool === market.empty) return null;
  const shareAt = async (block: number): Promise<number> => {
    const { reserves, supply } = await poolAt(pool, block);
    return Math.sqrt(Number(reserves[0])) * (Math.sqrt(Number(reserves[1])) / Number(supply));
  };
  const now = times[height] ?? 0;
  const monthAgo = times.filter((time) => time <= now - month).length - 1;
  const first = await firstSupply(pool);
  const isYoung = monthAgo < first;
  const elapsed = isYoung ? now - (times[first] ?? 0) : month;
  return elapsed === 0 ? null : (((await shareAt(height)) / (await shareAt(isYoung ? first : monthAgo)) - 1) * year) / elapsed;
};

/** The first block in which a pool has a supply. */
const firstSupply = async (pool: Address): Promise<number> => {
  for (let height = 0; height <= pools.head; height += 1) {
    const code = await pools.chain.rpc<string>("eth_getCode", [pool, `0x${height.toString(16)}`]);
    if (code !== "0x" && (await pools.poolAt(pool, height)).supply > 0n) return height;
  }
  throw new Error(`Pool ${pool} has no supply`);
};
