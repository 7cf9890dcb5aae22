import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Address, nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import { poolLogs } from "./market.ts";
import { expectNear, type StableIndex, startStableIndex } from "./pool-index.ts";

let pools: StableIndex;

beforeAll(async () => {
  pools = await startStableIndex("stable positions");
}, 120_000);
afterAll(() => pools?.end());

const tokensOf = (item: Readonly<Record<string, unknown>> | undefined) => (item?.tokens ?? []) as Readonly<Record<string, unknown>>[];
const addressesOf = (items: readonly Readonly<Record<string, unknown>>[]): unknown[] =>
  items.map(({ pool_address }) => pool_address).sort();

/** The pools whose tokens a wallet holds, with its share of the balances that they return. */
const positionsOf = async (wallet: Address, height: number) => {
  const states = await Promise.all(
    pools.market.pools.map(async (pool) => {
      const state = await pools.stateAt(pool, height);
      return { pool, state, shares: await state.sharesOf(wallet) };
    }),
  );
  return states
    .filter(({ shares }) => shares > 0n)
    .map(({ pool, state, shares }) => ({
      pool,
      state,
      shares,
      amounts: state.balances.map((balance) => (balance * shares) / state.supply),
    }));
};

describe("balances of protocol 05", () => {
  it("are the wallet's pool tokens and the value of their share, at five heights", async () => {
    for (const wallet of pools.market.people) {
      for (const height of pools.heights) {
        const items = await pools.itemsOf("balances", { wallet, height });
        const expected = await positionsOf(wallet, height);
        expect(addressesOf(items)).toEqual(expected.map(({ pool }) => pool.address).sort());
        for (const { pool, state, shares } of expected) {
          const item = items.find(({ pool_address }) => pool_address === pool.address);
          expect(item).toMatchObject({
            contract_address: pool.shares,
            position: "liquidity",
            balance: String(shares),
            contract_decimals: 18,
          });
          const value = pools.valueAt(pool, state.balances);
          expectNear(item?.quote, value === null ? null : (value * Number(shares)) / Number(state.supply), `${wallet} in ${pool.address}`);
        }
      }
    }
  });
});

describe("tokens of protocol 05", () => {
  it("are the wallet's share of the balances, rounded down, at five heights", async () => {
    for (const wallet of pools.market.people) {
      for (const height of pools.heights) {
        const items = await pools.itemsOf("tokens", { wallet, height });
        const expected = await positionsOf(wallet, height);
        expect(addressesOf(items)).toEqual(expected.map(({ pool }) => pool.address).sort());
        for (const { pool, shares, amounts } of expected) {
          const item = items.find(({ pool_address }) => pool_address === pool.address);
          expect(item).toMatchObject({ lp_token_balance: String(shares), lp_token_address: pool.shares, lp_token_decimals: 18 });
          const actual = tokensOf(item).map(({ contract_address, balance }) => [contract_address, balance]);
          expect(actual).toEqual(pool.coins.map((coin, i) => [coin, String(amounts[i])]));
          expectNear(item?.total_quote, pools.valueAt(pool, amounts), `${wallet} in ${pool.address} at ${height}`);
        }
      }
    }
  });

  it("have the native currency with 18 decimals and its price", async () => {
    const { ether, people } = pools.market;
    const [item] = await pools.itemsOf("tokens", { wallet: people[0] as Address, pool: ether.address });
    const [native] = tokensOf(item);
    expect(native).toMatchObject({ contract_address: nativeTokenAddress, contract_decimals: 18, quote_rate: 1_000 });
    expectNear(native?.quote, (Number(native?.balance) / 1e18) * 1_000, "native");
  });

  it("are empty for another pool and for an account without pool tokens", async () => {
    const { people, tokens } = pools.market;
    expect(await pools.itemsOf("tokens", { wallet: people[0] as Address, pool: tokens.dollar })).toEqual([]);
    for (const operation of ["balances", "tokens", "transactions"])
      expect(await pools.itemsOf(operation, { wallet: tokens.dollar })).toEqual([]);
  });

  it("are the amounts that a pool pays for all of the wallet's pool tokens", async () => {
    const { chain, market, index, itemsOf, stateAt, head } = pools;
    const wallet = market.people[0] as Address;
    for (const pool of [market.plain, market.ether, market.base]) {
      const [item] = await itemsOf("tokens", { wallet, pool: pool.address });
      const shares = await (await stateAt(pool, head)).sharesOf(wallet);
      await chain.send(market.callPool(wallet, pool, "remove_liquidity", [shares]));
      await chain.mine();
      const paid = (await poolLogs(chain, [pool])).at(-1);
      expect(paid?.name).toBe("RemoveLiquidity");
      const amounts = (paid?.args.token_amounts ?? []) as bigint[];
      expect(tokensOf(item).map(({ balance }) => balance)).toEqual(amounts.map(String));
    }
    await index.sync();
    expect(await itemsOf("tokens", { wallet, height: await chain.head() })).toEqual([]);
  });
});
