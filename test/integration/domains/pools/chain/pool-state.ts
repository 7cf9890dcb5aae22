import { describe, expect, it } from "vitest";
import { createPoolQueries } from "../../../../../runtime/domains/pools/queries/index.ts";
import type { ResponseData } from "../serve-pools.ts";
import { readContract, uniswapV2 } from "../support.ts";
import {
  allPages,
  api,
  chain,
  exchange,
  firstDay,
  head,
  headTime,
  pairs,
  people,
  reservesAt,
  secondsPerDay,
  sum,
  swapsOf,
  testDatabase,
  times,
  tokensOf,
  toLower,
} from "./setup.ts";

/** Tests of stored pool states and the list of active pools. */
export const describePoolState = (): void => {
  describe("pool state", () => {
    it("matches the node's reserves and supply at every height", async () => {
      const { statesAt } = createPoolQueries(testDatabase.database);
      const heights = Array.from({ length: head }, (_, position) => position + 1);
      const states = await statesAt(31337, pairs, heights);
      for (const pair of pairs) {
        const created = Number(
          await chain
            .rpc<string>("eth_getLogs", [{ fromBlock: "0x0", address: exchange.factory }])
            .then(
              (announcements) =>
                (announcements as unknown as { blockNumber: string; data: string }[]).find(({ data }) => data.includes(pair.slice(2)))
                  ?.blockNumber,
            ),
        );
        for (const height of heights.filter((number) => number >= created)) {
          const state = states(pair)[height - 1];
          const [reserves, supply] = await Promise.all([
            reservesAt(pair, height),
            readContract<bigint>(chain, uniswapV2.pair(), pair, "totalSupply", [], height),
          ]);
          expect([state?.reserve0, state?.reserve1, state?.supply], `${pair} at ${height}`).toEqual(
            [reserves[0], reserves[1], supply].map(String),
          );
        }
      }
    });

    it("is divided among the LP token holders", async () => {
      for (const person of [...people, toLower(chain.accounts[9] as string)]) {
        const { items } = await api.get(`week/xy=k/swap/address/${person}/balances/`);
        const expected = [];
        for (const pair of [...pairs].sort()) {
          const balance = await readContract<bigint>(chain, uniswapV2.pair(), pair, "balanceOf", [person], head);
          if (balance === 0n) continue;
          const [reserve0, reserve1] = await readContract<readonly [bigint, bigint, number]>(
            chain,
            uniswapV2.pair(),
            pair,
            "getReserves",
            [],
            head,
          );
          const supply = await readContract<bigint>(chain, uniswapV2.pair(), pair, "totalSupply", [], head);
          expected.push([pair, balance, supply, (reserve0 * balance) / supply, (reserve1 * balance) / supply].map(String));
        }
        const actual = items.map(({ pool_token: lpToken, token_0: first, token_1: second }: ResponseData) => [
          lpToken.contract_address,
          lpToken.balance,
          lpToken.total_supply,
          first.balance,
          second.balance,
        ]);
        expect(actual).toEqual(expected);
        const { items: pools } = await api.get(`week/xy=k/address/${person}/pools/page/0/?dex-name=swap`);
        expect(pools.map((item: ResponseData) => item.exchange)).toEqual(expected.map(([pair]) => pair));
      }
    });
  });

  describe("the list of active pools", () => {
    it("contains the pools with a swap in the seven days up to the last closed hour, with their volumes", async () => {
      const end = Math.floor(headTime() / 3_600) * 3_600;
      const active = [...pairs].sort().filter((pair) => swapsOf([pair], end - 7 * secondsPerDay, end).length > 0);
      const items = await allPages("week/xy=k/swap/pools/", 2);
      expect(items.map((item) => item.exchange)).toEqual(active);
      for (const item of items) {
        const [day, week] = [swapsOf([item.exchange], end - secondsPerDay, end), swapsOf([item.exchange], end - 7 * secondsPerDay, end)];
        expect(item.swap_count_24h).toBe(day.length);
        expect([item.token_0.contract_address, item.token_1.contract_address]).toEqual(await tokensOf(item.exchange));
        expect(item.token_0).toMatchObject({
          volume_in_24h: sum(day, "amount0In"),
          volume_out_24h: sum(day, "amount0Out"),
          volume_in_7d: sum(week, "amount0In"),
          volume_out_7d: sum(week, "amount0Out"),
        });
        expect(item.token_1).toMatchObject({
          volume_in_24h: sum(day, "amount1In"),
          volume_out_24h: sum(day, "amount1Out"),
          volume_in_7d: sum(week, "amount1In"),
          volume_out_7d: sum(week, "amount1Out"),
        });
        const height = times.filter((time) => time < end).length - 1;
        const reserves = await readContract<readonly [bigint, bigint, number]>(
          chain,
          uniswapV2.pair(),
          item.exchange,
          "getReserves",
          [],
          height,
        );
        expect([item.token_0.reserve, item.token_1.reserve]).toEqual([String(reserves[0]), String(reserves[1])]);
      }
    });

    it("reflects the end of a requested past day", async () => {
      for (const day of [0, 1, 2, 4, 8]) {
        const end = firstDay + (day + 1) * secondsPerDay;
        const date = new Date((end - 1) * 1000).toISOString().slice(0, 10);
        const { items } = await api.get(`week/xy=k/swap/pools/?date=${date}`);
        const expected = [...pairs].sort().flatMap((pair) => {
          const [day, week] = [swapsOf([pair], end - secondsPerDay, end), swapsOf([pair], end - 7 * secondsPerDay, end)];
          return week.length === 0 ? [] : [[pair, day.length, sum(week, "amount1Out")]];
        });
        expect(
          items.map((item: ResponseData) => [item.exchange, item.swap_count_24h, item.token_1.volume_out_7d]),
          date,
        ).toEqual(expected);
      }
    });

    it("refuses days that are not indexed", async () => {
      expect((await api.request("week/xy=k/swap/pools/?date=2023-11-13")).message).toContain("on or after 2023-11-14");
      expect((await api.request("week/xy=k/swap/pools/?date=2999-01-01")).status).toBe(400);
      expect((await api.request("week/xy=k/swap/pools/?date=yesterday")).status).toBe(400);
    });
  });
};
