import { describe, expect, it } from "vitest";
import { createGasQueries } from "../../../../../runtime/domains/chains/queries/gas.ts";
import { actionCodes } from "../../../../../runtime/domains/pools/projection/tables.ts";
import { createPoolQueries } from "../../../../../runtime/domains/pools/queries/index.ts";
import type { ResponseData } from "../serve-pools.ts";
import { api, chain, head, logs, pools, testDatabase, toLower } from "./setup.ts";

/** Tests of actions and gas prices. */
export const describeActions = (): void => {
  describe("actions of concentrated pools", () => {
    it("include all swaps and non-zero liquidity changes, with their events' amounts", async () => {
      const positive = (value: unknown): string => String(BigInt(String(value)) > 0n ? BigInt(String(value)) : 0n);
      const negative = (value: unknown): string => positive(-BigInt(String(value)));
      const expected = logs.flatMap(({ block, index: log_index, address, name, args }) => {
        const key = [block, log_index, address];
        if (name === "Swap") {
          const { amount0, amount1, sender, recipient } = args;
          return [
            [
              ...key,
              actionCodes.swap,
              toLower(String(sender)),
              toLower(String(recipient)),
              positive(amount0),
              negative(amount0),
              positive(amount1),
              negative(amount1),
              null,
            ],
          ];
        }
        if ((name !== "Mint" && name !== "Burn") || args.amount === 0n) return [];
        const owner = toLower(String(args.owner));
        const [amount0, amount1] = [String(args.amount0), String(args.amount1)];
        return name === "Mint"
          ? [[...key, actionCodes.add, toLower(String(args.sender)), owner, amount0, "0", amount1, "0", String(args.amount)]]
          : [[...key, actionCodes.remove, owner, owner, "0", amount0, "0", amount1, String(args.amount)]];
      });
      const rows = await testDatabase.database.query<Record<string, unknown>>(
        `SELECT block_number, log_index, pool, act, sender, to_address, amount0_in, amount0_out, amount1_in, amount1_out, liquidity
       FROM pool_actions ORDER BY block_number, log_index`,
      );
      expect(rows.map((row) => Object.values(row))).toEqual(expected);
    });

    it("add up to the volumes in the pools' states", async () => {
      const states = await createPoolQueries(testDatabase.database).statesAt(31337, pools, [head]);
      for (const pool of pools) {
        const swaps = logs.filter(({ name, address }) => name === "Swap" && address === pool);
        const sum = (argument: "amount0" | "amount1", sign: bigint): string =>
          String(
            swaps
              .map(({ args }) => sign * BigInt(args[argument] ?? 0))
              .reduce((total, amount) => (amount > 0n ? total + amount : total), 0n),
          );
        expect(states(pool)[0]).toMatchObject({
          swaps: swaps.length,
          amount0_in: sum("amount0", 1n),
          amount0_out: sum("amount0", -1n),
          amount1_in: sum("amount1", 1n),
          amount1_out: sum("amount1", -1n),
        });
      }
    });
  });

  describe("the gas price of swaps in concentrated pools", () => {
    interface Receipt {
      readonly gasUsed: string;
      readonly effectiveGasPrice: string;
      readonly blockNumber: string;
    }
    const rank = <T>(values: readonly T[], percent: number): T | undefined => values[Math.ceil((percent * values.length) / 100) - 1];

    it("is computed from the receipts of transactions with swaps, each counted once", async () => {
      const hashes = [...new Set(logs.filter(({ name }) => name === "Swap").map(({ transaction }) => transaction))];
      const receipts = await chain.batch<Receipt>(hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })));
      const blocks = await chain.batch<{ baseFeePerGas: string }>(
        receipts.map(({ blockNumber }) => ({ method: "eth_getBlockByNumber", params: [blockNumber, false] })),
      );
      const ascending = (first: bigint, second: bigint): number => (first < second ? -1 : first > second ? 1 : 0);
      const tips = receipts
        .map(({ effectiveGasPrice }, position) => BigInt(effectiveGasPrice) - BigInt(blocks[position]?.baseFeePerGas ?? 0))
        .sort(ascending);
      const used = receipts.map(({ gasUsed }) => BigInt(gasUsed)).sort(ascending);
      const { baseFeePerGas } = await chain.rpc<{ baseFeePerGas: string }>("eth_getBlockByNumber", ["latest", false]);
      const response: ResponseData = await api.get("week/event/uniswapv3/gas_prices/");
      expect(response.base_fee).toBe(String(BigInt(baseFeePerGas)));
      expect(response.items.map((item: ResponseData) => [item.gas_price, item.gas_spent])).toEqual(
        [90, 50, 10].map((percent) => [String(BigInt(baseFeePerGas) + (rank(tips, percent) ?? 0n)), String(rank(used, 50))]),
      );
    });

    it("is sampled from the requested number of transactions, even if they swap in several pools", async () => {
      const swaps = logs.filter(({ name }) => name === "Swap").map(({ transaction }) => transaction);
      const newest = [...new Set([...swaps].reverse())];
      // Some of the newest twelve swaps are in the same transaction.
      expect(new Set([...swaps].reverse().slice(0, 12)).size).toBeLessThan(12);
      const receipts = await chain.batch<Receipt>(
        newest.slice(0, 12).map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
      );
      const samples = await createGasQueries(testDatabase.database).gasSamples(31337, "uniswapv3", 0, head, 12);
      const expected = receipts.map(({ gasUsed, effectiveGasPrice }) => [Number(gasUsed), String(BigInt(effectiveGasPrice))]);
      expect(samples.map((sample) => [sample.gas_used, sample.gas_price]).sort()).toEqual(expected.sort());
    });
  });
};
