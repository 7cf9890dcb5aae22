import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { timeOf } from "../operations.ts";
import type { StablePool } from "./market.ts";
import { expectNear, type StableIndex, startStableIndex } from "./pool-index.ts";

let pools: StableIndex;

beforeAll(async () => {
  pools = await startStableIndex("stable markets");
}, 120_000);
afterAll(() => pools?.end());

/** An operation's items, without the hostile pool. */
const itemsOf = async (operation: string, height: number) =>
  (await pools.itemsOf(operation, { height })).filter(({ pool_address }) => pool_address !== pools.market.hostile);

describe("market_data and markets of protocol 05", () => {
  it("have the balances and supplies that the pools return, at five heights", async () => {
    for (const height of pools.heights) {
      const items = await itemsOf("market_data", height);
      expect(items.map(({ pool_address }) => pool_address).sort()).toEqual(pools.market.pools.map(({ address }) => address).sort());
      for (const item of items) {
        const pool = pools.poolOf(item);
        const { balances, supply } = await pools.stateAt(pool, height);
        expect(item).toMatchObject({
          name: "Share",
          asset_address: null,
          total_supply: null,
          borrow_rate: null,
          lp_token_address: pool.shares,
          // Without a mint, the supply is unknown.
          lp_token_total_supply: supply === 0n ? null : String(supply),
        });
        expectNear(item.total_value_locked_quote, pools.valueAt(pool, balances), `${pool.address} at ${height}`);
        const block = item.block_height as number;
        expect(block).toBeLessThanOrEqual(height);
        expect((await pools.stateAt(pool, block)).balances).toEqual(balances);
      }
    }
  });

  it("use the virtual price's annualised growth since the first reading as their supply rate", async () => {
    let growingPools = 0;
    for (const item of await itemsOf("markets", pools.head)) {
      const pool = pools.poolOf(item);
      if (pool === pools.market.empty) {
        expect(item.supply_rate).toBeNull();
        continue;
      }
      const rate = await rateOf(pool);
      expectNear(item.supply_rate, rate, pool.address);
      growingPools += rate > 0 ? 1 : 0;
    }
    expect(growingPools).toBe(3);
  });

  it("are ordered by value, unknown values last, and agree with each other", async () => {
    const markets = await pools.itemsOf("markets");
    const values = markets.map(({ total_value_locked_quote: value }) => (value ?? -1) as number);
    expect(values).toEqual([...values].sort((left, right) => right - left));
    // The hostile pool has no coins.
    expect(values.filter((value) => value < 0)).toHaveLength(1);
    const details = await pools.itemsOf("market_data");
    for (const [position, item] of markets.entries()) expect(details[position]).toMatchObject(item);
  });

  it("include a pool whose views fail", async () => {
    const { hostile } = pools.market;
    const [item] = await pools.itemsOf("market_data", { pool: hostile });
    expect(item).toMatchObject({ pool_address: hostile, total_value_locked_quote: null, supply_rate: null, lp_token_total_supply: null });
  });

  it("have no value if a coin has no price", async () => {
    const { base, tokens } = pools.market;
    const odd = Buffer.from(tokens.odd.slice(2), "hex");
    await pools.testDatabase.database.query("UPDATE price_hours SET close = NULL WHERE asset = $1", [odd]);
    const [item] = await pools.itemsOf("market_data", { pool: base.address });
    await pools.testDatabase.database.query("UPDATE price_hours SET close = open WHERE asset = $1", [odd]);
    expect(item).toMatchObject({ total_value_locked_quote: null, total_supply_quote: null });
    expect((await pools.itemsOf("market_data", { pool: base.address }))[0]?.total_value_locked_quote).toBeGreaterThan(0);
  });

  it("are restricted to one pool by its address", async () => {
    const { base, tokens } = pools.market;
    expect((await pools.itemsOf("market_data", { pool: base.address })).map(({ pool_address }) => pool_address)).toEqual([base.address]);
    expect(await pools.itemsOf("market_data", { pool: tokens.dollar })).toEqual([]);
  });
});

const month = 30 * 86_400;
const year = 365 * 86_400;

/** The annualised growth of a pool's virtual price between its first and its last reading within the last 30 days. */
const rateOf = async (pool: StablePool): Promise<number> => {
  const now = await timeOf(pools.chain, pools.head);
  const rows = await pools.testDatabase.database.query<{ block: number }>(
    "SELECT block_number AS block FROM cq_protocol_05.virtual_price WHERE contract = $1 AND price > 0 ORDER BY block_number",
    [Buffer.from(pool.address.slice(2), "hex")],
  );
  const readings = await Promise.all(
    rows.map(async ({ block }) => ({ time: await timeOf(pools.chain, block), price: (await pools.stateAt(pool, block)).virtualPrice })),
  );
  const recent = readings.filter(({ time }) => time >= now - month);
  const [first, last] = [recent[0], readings.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`No readings of ${pool.address}`);
  return ((Number(last.price) / Number(first.price) - 1) * year) / (last.time - first.time);
};
