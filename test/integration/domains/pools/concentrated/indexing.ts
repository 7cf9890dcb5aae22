import { describe, expect, it } from "vitest";
import { createPoolQueries } from "../../../../../runtime/domains/pools/queries/index.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { artifacts } from "../../../../support/chain.ts";
import { hashContents } from "../../../../support/contents.ts";
import { createTestDatabase } from "../../../../support/database.ts";
import { mineTransactions, readContract } from "../support.ts";
import { chain, exchange, indexToHead, keys, maxUint128, people, pools, testDatabase, tokens, unit } from "./setup.ts";

const contentsOfFreshIndex = async (tuning: Record<string, number> = {}): Promise<unknown> => {
  const other = await createTestDatabase();
  await indexToHead(other, tuning);
  const rows = await hashContents(other.database);
  await other.drop();
  return rows;
};

/** Tests of batches, rebuilds and reorganisations. */
export const describeIndexing = (): void => {
  describe("an index of concentrated pools", () => {
    it("is the same for any batch size and after a rebuild from the first version", async () => {
      const expected = await hashContents(testDatabase.database);
      expect(await contentsOfFreshIndex({ batchBlocks: 1, requestBlocks: 1 })).toEqual(expected);
      expect(await contentsOfFreshIndex({ batchBlocks: 7, requestBlocks: 3 })).toEqual(expected);
      await testDatabase.database.query("UPDATE pool_states SET reserve0 = NULL, reserve1 = NULL");
      await testDatabase.database.query("UPDATE projection_checkpoints SET version = 1 WHERE projection = 'pools'");
      await indexToHead(testDatabase);
      expect(await hashContents(testDatabase.database)).toEqual(expected);
    }, 60_000);

    it("equals a fresh one after a reorganisation that drops swaps", async () => {
      const [owner] = people as [Address];
      const states = async () => testDatabase.database.query("SELECT * FROM pool_states ORDER BY pool, block_number");
      const before = await states();
      await mineTransactions(chain, [exchange.swap(owner, 40n * unit, keys[0], 1), exchange.swapPath(owner, 9n * unit, tokens, 3000)]);
      await mineTransactions(chain, [exchange.collect(owner, 1n, [maxUint128, maxUint128]), exchange.swap(owner, 5n * unit, keys[1], 0)]);
      await indexToHead(testDatabase);
      expect((await states()).length).toBeGreaterThan(before.length);
      await chain.rpc("anvil_reorg", [2, []]);
      await indexToHead(testDatabase);
      expect(await states()).toEqual(before);
      expect(await hashContents(testDatabase.database)).toEqual(await contentsOfFreshIndex());
      // A deeper reorganisation drops earlier swaps; the states equal the node's again.
      await chain.rpc("anvil_reorg", [9, []]);
      await indexToHead(testDatabase);
      expect(await hashContents(testDatabase.database)).toEqual(await contentsOfFreshIndex());
      const height = await chain.head();
      const newest = await createPoolQueries(testDatabase.database).statesAt(31337, pools, [height]);
      const [a] = tokens;
      expect(newest(pools[1])[0]?.reserve0).toBe(
        String(await readContract<bigint>(chain, artifacts.erc20(), a, "balanceOf", [pools[1]], height)),
      );
    }, 60_000);
  });
};
