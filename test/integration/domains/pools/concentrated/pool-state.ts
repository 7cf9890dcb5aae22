import { describe, expect, it } from "vitest";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { artifacts } from "../../../../support/chain.ts";
import { uniswapV3 } from "../concentrated-support.ts";
import { readContract } from "../support.ts";
import { api, chain, exchange, gift, head, keys, logs, pools, testDatabase } from "./setup.ts";

const bytes = (address: Address): Buffer => Buffer.from(address.slice(2), "hex");

/** Compares a pool's state at every height with the node; returns whether any state is stored. */
const compareWithNode = async (pool: Address, position: number): Promise<boolean> => {
  const rows = await testDatabase.database.query<{
    block_number: number;
    sqrt_price_x96: string | null;
    tick: number | null;
    liquidity: string | null;
    reserve0: string | null;
    reserve1: string | null;
  }>("SELECT * FROM pool_states WHERE pool = $1 ORDER BY block_number", [bytes(pool)]);
  const pair = keys[position]?.tokens ?? [];
  for (let height = 0; height <= head; height += 1) {
    const row = rows.findLast(({ block_number }) => block_number <= height);
    const balances = await Promise.all(
      pair.map(async (token) => readContract<bigint>(chain, artifacts.erc20(), token, "balanceOf", [pool], height).catch(() => 0n)),
    );
    const gifted = position === 0 && height >= gift.block ? gift.amount : 0n;
    expect([row?.reserve0 ?? "0", row?.reserve1 ?? "0"], `pool ${position} at ${height}`).toEqual([
      String((balances[0] ?? 0n) - gifted),
      String(balances[1]),
    ]);
    if (row === undefined) continue;
    const [slot, liquidity] = await Promise.all([
      readContract<readonly [bigint, number]>(chain, uniswapV3.pool(), pool, "slot0", [], height),
      readContract<bigint>(chain, uniswapV3.pool(), pool, "liquidity", [], height),
    ]);
    expect([row.sqrt_price_x96, row.tick, row.liquidity], `pool ${position} at ${height}`).toEqual([
      String(slot[0]),
      slot[1],
      String(liquidity),
    ]);
  }
  return rows.length > 0;
};

/** Tests of the stored pools and their states. */
export const describePoolState = (): void => {
  describe("the test transactions", () => {
    it("emit every pool event", () => {
      const counts = new Map<string, number>();
      for (const { name } of logs) counts.set(name, (counts.get(name) ?? 0) + 1);
      for (const name of ["Initialize", "Mint", "Swap", "Burn", "Collect", "Flash", "CollectProtocol", "SetFeeProtocol"]) {
        expect(counts.get(name) ?? 0, name).toBeGreaterThan(1);
      }
      const swaps = logs.filter(({ name }) => name === "Swap");
      expect(swaps.some(({ args }) => BigInt(args.amount0 ?? 0) > 0n)).toBe(true);
      expect(swaps.some(({ args }) => BigInt(args.amount0 ?? 0) < 0n)).toBe(true);
      // Swaps cross range boundaries, which changes the active liquidity.
      const liquidities = new Set(swaps.filter(({ address }) => address === pools[0]).map(({ args }) => args.liquidity));
      expect(liquidities.size).toBeGreaterThan(5);
      expect(logs.some(({ name, args }) => name === "Burn" && args.amount === 0n)).toBe(true);
    });
  });

  describe("a concentrated pool", () => {
    it("matches the node's price, tick, liquidity and token balances at every height", async () => {
      for (const [position, pool] of pools.entries()) expect(await compareWithNode(pool, position)).toBe(position !== 3);
    }, 60_000);

    it("is stored with its factory and fee", async () => {
      const rows = await testDatabase.database.query<{ pool: Address; factory: Address; family: number; fee_ppm: number }>(
        "SELECT pool, factory, family, fee_ppm FROM pools ORDER BY pool",
      );
      const expected = pools.map((pool, position) => ({ pool, factory: exchange.factory, family: 1, fee_ppm: keys[position]?.fee }));
      expect(rows).toEqual(expected.sort((first, second) => (first.pool < second.pool ? -1 : 1)));
    });

    it("is not included in the sums of any exchange", async () => {
      for (const table of ["exchange_sums", "exchange_token_sums", "exchange_tokens"]) {
        expect(await testDatabase.database.query(`SELECT FROM ${table}`), table).toEqual([]);
      }
      expect((await api.request("week/xy=k/ranges/pools/")).status).toBe(404);
    });
  });
};
