import { describe, expect, test } from "vitest";
import { expectNear } from "../support/expect-near.ts";
import {
  blockTimes,
  type ExchangeName,
  exchanges,
  factories,
  feedOf,
  poolsHeld,
  poolsOf,
  reservesOf,
  supplyOf,
  toWholeTokens,
} from "../support/story-exchanges.ts";
import { balanceOf, storyValue } from "../support/story-node.ts";
import { allPages, chain, dataOf, isValidDate, useNpmClient } from "./npm-client.ts";

const { XykService: service } = await useNpmClient();
const times = await blockTimes();
const head = times.at(-1) ?? 0;
/** Both exchanges charge 0.3 % of the input. */
const fee = 0.003;

describe("the npm client's XykService for exchanges", () => {
  test("getPoolsForTokenAddress returns pages of a token's pools on all exchanges, in dollars and euros", async () => {
    const dollar = storyValue("usdToken");
    const all = (await Promise.all(exchanges.map(async (name) => (await poolsOf(name)).map((pool) => ({ ...pool, name }))))).flat();
    const expected = all.filter(({ token0, token1 }) => [token0, token1].includes(dollar)).sort((a, b) => (a.pool < b.pool ? -1 : 1));
    const read = (options: object) => allPages((page) => service.getPoolsForTokenAddress(chain, dollar, page, { pageSize: 2, ...options }));
    const [dollars, euros, rival] = await Promise.all([read({}), read({ quoteCurrency: "EUR" }), read({ dexName: "demo_swap" })]);
    const named = expected.map(({ pool, name }) => [pool, name]);
    for (const { items, total } of [dollars, euros]) {
      expect(items.map(({ exchange, dex_name: name }) => [exchange, name])).toEqual(named);
      expect(total).toBe(named.length);
    }
    expect(rival.items.map(({ exchange, dex_name: name }) => [exchange, name])).toEqual(named.filter(([, name]) => name === "demo_swap"));
    const euro = (await feedOf("euroFeed", times))(head + 1);
    for (const [position, { total_liquidity_quote: inDollars, token_0: first }] of dollars.items.entries()) {
      expect(BigInt(first.reserve)).toBe((await reservesOf(expected[position]?.pool ?? ""))[0]);
      const inEuros = euros.items[position];
      if (inDollars === null) expect(inEuros?.total_liquidity_quote).toBeNull();
      else expectNear(inEuros?.total_liquidity_quote, inDollars / euro);
    }
    expect(dollars.items.filter(({ total_liquidity_quote: value }) => value === null).map(({ exchange }) => exchange)).toEqual([
      storyValue("washPair"),
    ]);
  });

  test.each(["marketMaker", "deployer", "newcomer"])(
    "getPoolsForWalletAddress and getAddressExchangeBalances return the LP tokens held by %s according to balanceOf() and totalSupply()",
    async (name) => {
      const owner = storyValue(name);
      const held = await Promise.all(exchanges.map(async (exchange) => poolsHeld(await poolsOf(exchange), owner)));
      const sorted = held
        .flat()
        .map(({ pool }) => pool)
        .sort();
      const { items: pools, total } = await allPages((page) => service.getPoolsForWalletAddress(chain, owner, page, { pageSize: 3 }));
      expect(pools.map(({ exchange }) => exchange)).toEqual(sorted);
      expect(total).toBe(sorted.length);
      for (const [position, exchange] of exchanges.entries()) {
        const { items, address, updated_at: at } = await dataOf(service.getAddressExchangeBalances(chain, exchange, owner));
        expect([address, isValidDate(at)]).toEqual([owner, true]);
        expect(items.map(({ pool_token: share }) => share.contract_address)).toEqual((held[position] ?? []).map(({ pool }) => pool).sort());
        for (const { pool_token: share, token_0: first, token_1: second } of items) {
          const pool = share.contract_address;
          const [balance, supply, reserves] = await Promise.all([balanceOf(pool, owner), supplyOf(pool), reservesOf(pool)]);
          expect([share.balance, share.total_supply]).toEqual([balance, supply]);
          // The pool rounds a withdrawal by integer division.
          expect([first.balance, second.balance]).toEqual(reserves.map((reserve) => (reserve * balance) / supply));
          for (const token of [first, second, share]) {
            if (token.quote_rate !== null)
              expectNear(token.quote, toWholeTokens(token.balance ?? 0n, token.contract_decimals) * token.quote_rate);
            else expect([token.quote, token.pretty_quote]).toEqual([null, null]);
          }
        }
      }
      expect(sorted.length > 0).toBe(name !== "newcomer");
    },
  );

  test("getSupportedDEXes returns the exchanges, and getDexForPoolAddress a pool's exchange", async () => {
    const { items, updated_at: at } = await dataOf(service.getSupportedDEXes());
    expect(isValidDate(at)).toBe(true);
    const exchangeOf = (name: ExchangeName, router: string) => ({
      chain_id: "31337",
      chain_name: "demo",
      dex_name: name,
      factory_contract_address: storyValue(factories[name]),
      router_contract_addresses: [storyValue(router)],
      swap_fee: fee,
    });
    const expected = [exchangeOf("demo_exchange", "exchangeRouter"), exchangeOf("demo_swap", "rivalRouter")];
    expect(items).toMatchObject(expected);
    expect(items.length).toBe(expected.length);
    for (const [position, name] of exchanges.entries()) {
      for (const { pool } of await poolsOf(name)) {
        const { items: found, address } = await dataOf(service.getDexForPoolAddress(chain, pool));
        expect(address).toBe(pool);
        expect(found).toEqual([items[position]]);
      }
    }
    expect(await service.getDexForPoolAddress(chain, storyValue("goldToken"))).toMatchObject({ data: null, error: true, error_code: 404 });
  });
});
