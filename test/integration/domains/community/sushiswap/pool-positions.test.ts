import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Address, Hash } from "../../../../../runtime/lib/hex.ts";
import { mineTransactions } from "../../pools/support.ts";
import { flowsOf } from "./pool-actions.ts";
import { decimals, expectNear, type PoolIndex, startPoolIndex } from "./pool-index.ts";

let pools: PoolIndex;

beforeAll(async () => {
  pools = await startPoolIndex("positions in pools");
}, 120_000);
afterAll(() => pools?.end());

/** The pools whose tokens a wallet holds, with its balance and its share of the reserves, from their views. */
const positionsOf = async (wallet: Address, height: number) => {
  const held = await Promise.all(
    pools.market.pools.map(async (address) => {
      const pool = await pools.poolAt(address, height);
      const balance = await pool.balanceOf(wallet);
      return { address, pool, balance };
    }),
  );
  return held
    .filter(({ balance }) => balance > 0n)
    .map(({ address, pool, balance }) => {
      const amounts = pool.reserves.map((reserve) => (balance * reserve) / pool.supply) as [bigint, bigint];
      return { address, pool, balance, amounts };
    });
};

const addressesOf = (items: readonly Readonly<Record<string, unknown>>[]): unknown[] =>
  items.map(({ pool_address }) => pool_address).sort();

const tokensOf = (item: Readonly<Record<string, unknown>> | undefined) => (item?.tokens ?? []) as Readonly<Record<string, unknown>>[];

describe("balances of protocol 07", () => {
  it("are the wallet's pool tokens and the value of their share, at five heights", async () => {
    // The last account receives the protocol fee.
    for (const wallet of [...pools.market.people, pools.chain.accounts[9]?.toLowerCase() as Address]) {
      for (const height of pools.heights) {
        const items = await pools.itemsOf("balances", { wallet, height });
        const expected = await positionsOf(wallet, height);
        expect(addressesOf(items)).toEqual(expected.map(({ address }) => address).sort());
        for (const { address, pool, balance } of expected) {
          const item = items.find(({ contract_address }) => contract_address === address);
          expect(item).toMatchObject({
            pool_address: address,
            position: "liquidity",
            balance: String(balance),
            contract_decimals: decimals,
          });
          const value = pools.valueOfReserves(pool);
          expectNear(
            item?.quote,
            value === null ? null : (value * Number(balance)) / Number(pool.supply),
            `${wallet} in ${address} at ${height}`,
          );
        }
      }
    }
  });
});

describe("tokens of protocol 07", () => {
  it("are the wallet's share of the reserves, rounded down, at five heights", async () => {
    for (const wallet of pools.market.people) {
      for (const height of pools.heights) {
        const items = await pools.itemsOf("tokens", { wallet, height });
        const expected = await positionsOf(wallet, height);
        expect(addressesOf(items)).toEqual(expected.map(({ address }) => address).sort());
        for (const { address, pool, balance, amounts } of expected) {
          const item = items.find(({ pool_address }) => pool_address === address);
          expect(item).toMatchObject({ lp_token_balance: String(balance), lp_token_address: address, lp_token_decimals: decimals });
          const actual = tokensOf(item).map((token) => [token.contract_address, token.balance]);
          expect(actual).toEqual(pool.tokens.map((token, side) => [token, String(amounts[side])]));
          expectNear(item?.total_quote, pools.valueOfReserves({ ...pool, reserves: amounts }), `${wallet} in ${address} at ${height}`);
        }
      }
    }
  });

  it("are restricted to one pool by its address", async () => {
    const { market, itemsOf } = pools;
    const [wallet, pool] = [market.people[0] as Address, market.pools[0] as Address];
    expect(addressesOf(await itemsOf("tokens", { wallet, pool }))).toEqual([pool]);
    expect((await itemsOf("tokens", { wallet })).length).toBeGreaterThan(2);
    expect(await itemsOf("tokens", { wallet, pool: market.tokens.gold })).toEqual([]);
  });

  it("include a token without plausible decimals and without a price", async () => {
    const { market, itemsOf } = pools;
    const [item] = await itemsOf("tokens", { wallet: market.people[0] as Address, pool: market.shared });
    const odd = tokensOf(item).find(({ contract_address }) => contract_address === market.tokens.odd);
    expect(odd).toMatchObject({ contract_name: "Odd", contract_decimals: null, quote_rate: null, quote: null });
    expect(BigInt(odd?.balance as string)).toBeGreaterThan(2n ** 110n);
    expect(item?.total_quote).toBeNull();
  });

  it("are empty for an account without pool tokens", async () => {
    for (const operation of ["balances", "tokens", "transactions"])
      expect(await pools.itemsOf(operation, { wallet: pools.market.tokens.gold })).toEqual([]);
  });

  it("are the amounts that a pool without a protocol fee pays for all of the wallet's pool tokens", async () => {
    const { chain, market, index, itemsOf, poolAt, head } = pools;
    const [wallet, pool] = [market.people[0] as Address, market.pools[0] as Address];
    const [item] = await itemsOf("tokens", { wallet, pool });
    const balance = await (await poolAt(pool, head)).balanceOf(wallet);
    const [hash] = await mineTransactions(chain, [
      market.plain.removeLiquidity(wallet, [market.tokens.gold, market.tokens.silver], balance),
    ]);
    const flows = await flowsOf(chain, hash as Hash, wallet);
    const tokens = tokensOf(item);
    expect(tokens.map(({ balance: amount }) => amount)).toEqual(
      tokens.map(({ contract_address }) => String(flows[contract_address as Address])),
    );
    await index.sync();
    expect(await itemsOf("tokens", { wallet, pool, height: await chain.head() })).toEqual([]);
  });
});
