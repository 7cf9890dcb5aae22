import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import { bytes } from "../../../../../runtime/database/codecs.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { builtInProtocol, createItemsOf, type ItemsOf, insertTokens, timeOf } from "../operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { type Pool, type PoolMarket, startPoolMarket } from "./market.ts";
import { isComposable, type PoolTokens, viewsOf } from "./views.ts";

const random = createRandom("pools of a vault");
const protocol = builtInProtocol("protocol_02");
const dayCount = 8;

let chain: TestChain;
let market: PoolMarket;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let itemsOf: ItemsOf;
let head: number;
let views: ReturnType<typeof viewsOf>;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startPoolMarket(chain);
  const start = (await timeOf(chain, await chain.head())) + 86_400;
  for (let day = 0; day < dayCount; day += 1) {
    await chain.send(...Array.from({ length: random.between(8, 14) }, () => market.randomTransaction(random)));
    await chain.mine(start + day * 86_400);
  }
  testDatabase = await createTestDatabase();
  index = await startCommunityIndex(chain, testDatabase.database, {
    protocols: [protocol],
    community: { protocol_02: { vault: [market.vault] } },
  });
  await index.sync();
  head = await chain.head();
  await insertTokens(testDatabase.database, [
    ...market.tokens,
    ...market.pools.map(({ address, name }) => ({ address, name, decimals: 18 })),
  ]);
  itemsOf = createItemsOf(testDatabase.database, protocol);
  views = viewsOf(chain, market.vault);
});
afterAll(async () => {
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

const heights = (): number[] => [1, 2, 4, 6, 8].map((day) => head - dayCount + day);

const usdOf = (token: Address, amount: bigint): number | null => {
  const knownToken = market.tokens.find(({ address }) => address === token);
  return knownToken?.price === undefined ? null : (Number(amount) / 10 ** (knownToken.decimals ?? 0)) * knownToken.price;
};

/** The sum of values; null if one of them is unknown. */
const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);

/** The value of all tokens but the pool's own shares; null if one has no price. */
const totalValue = (pool: Pool, { balances }: PoolTokens): number | null => {
  return sumOf([...balances].filter(([token]) => token !== pool.address).map(([token, balance]) => usdOf(token, balance)));
};

const expectClose = (actual: unknown, expected: number | null): void => {
  if (expected === null) expect(actual).toBeNull();
  else expect(Math.abs((actual as number) / expected - 1)).toBeLessThan(1e-9);
};

describe("market_data and markets of protocol 02", () => {
  it("have the balances, supply and last change block that the vault and its pools return, at five heights", async () => {
    for (const height of heights()) {
      const items = await itemsOf("market_data", { height });
      expect(items.map(({ pool_address }) => pool_address).sort()).toEqual(market.pools.map(({ address }) => address).sort());
      for (const pool of market.pools) {
        const held = await views.poolTokens(pool, height);
        const item = items.find(({ pool_address }) => pool_address === pool.address);
        expect(item).toMatchObject({
          name: pool.name,
          asset_address: null,
          block_height: Number(held.lastChangeBlock),
          lp_token_address: pool.address,
          lp_token_total_supply: String(await views.supplyOf(pool, height)),
          total_borrow: null,
          borrow_rate: null,
        });
        expectClose(item?.total_value_locked_quote, totalValue(pool, held));
        expectClose(item?.total_supply_quote, totalValue(pool, held));
      }
    }
  });

  it("have balances that equal the sums of the vault's events", async () => {
    for (const pool of market.pools) {
      const { balances } = await views.poolTokens(pool, head);
      for (const [token, balance] of balances) {
        const [row] = await testDatabase.database.query<{ total: string }>(
          `SELECT (SELECT COALESCE(sum(c.delta - c.fee), 0) FROM cq_protocol_02.balance_changes b,
               unnest(b.tokens, b.deltas, b.protocol_fee_amounts) AS c (token, delta, fee) WHERE b.pool_id = $1 AND c.token = $2)
             + (SELECT COALESCE(sum(amount_in), 0) FROM cq_protocol_02.swaps WHERE pool_id = $1 AND token_in = $2)
             - (SELECT COALESCE(sum(amount_out), 0) FROM cq_protocol_02.swaps WHERE pool_id = $1 AND token_out = $2)
             + (SELECT COALESCE(sum(cash_delta + managed_delta), 0) FROM cq_protocol_02.managed_changes WHERE pool_id = $1 AND token = $2) AS total`,
          [bytes(pool.id), bytes(token)],
        );
        expect(row?.total, `${token} in ${pool.name}`).toBe(String(balance));
      }
    }
    const counts = await testDatabase.database.query(
      "SELECT (SELECT count(*) FROM cq_protocol_02.managed_changes) > 3 AS managed, (SELECT bool_or(0 < ANY (protocol_fee_amounts)) FROM cq_protocol_02.balance_changes) AS fees",
    );
    expect(counts).toEqual([{ managed: true, fees: true }]);
  });

  it("are ordered by value, agree with each other, and are restricted to one pool by its address", async () => {
    const markets = await itemsOf("markets", { height: head });
    const values = await Promise.all(
      market.pools.map(async (pool) => ({ pool, value: totalValue(pool, await views.poolTokens(pool, head)) })),
    );
    const expected = values.sort((left, right) => (right.value ?? -1) - (left.value ?? -1)).map(({ pool }) => pool.address);
    expect(markets.map(({ pool_address }) => pool_address)).toEqual(expected);
    const details = await itemsOf("market_data", { height: head });
    for (const [position, item] of markets.entries()) expect(details[position]).toMatchObject(item);
    for (const { address } of market.pools) {
      const items = await itemsOf("market_data", { height: head, pool: address });
      expect(items).toEqual(details.filter(({ pool_address }) => pool_address === address));
    }
    expect(await itemsOf("market_data", { height: head, pool: market.vault })).toEqual([]);
  });

  it("use getRate()'s annualised growth since its first reading as their supply rate, or null without a reading", async () => {
    const items = await itemsOf("markets", { height: head });
    for (const pool of market.pools) {
      const item = items.find(({ pool_address }) => pool_address === pool.address);
      const readings = await testDatabase.database.query<{ block: number }>(
        "SELECT block_number AS block FROM cq_protocol_02.share_rate WHERE contract = $1 AND rate > 0 ORDER BY block_number",
        [bytes(pool.address)],
      );
      if (pool.tokens.length === 3 && !isComposable(pool)) {
        // The three-token pool's getRate() reverts.
        expect([item?.supply_rate, readings]).toEqual([null, []]);
        continue;
      }
      const blocks = [readings[0]?.block ?? 0, readings.at(-1)?.block ?? 0];
      const [first, last] = await Promise.all(blocks.map((block) => views.rateOf(pool, block)));
      const [begin = 0, end = 0] = await Promise.all(blocks.map((block) => timeOf(chain, block)));
      expectClose(item?.supply_rate, ((Number(last) / Number(first) - 1) * 31_536_000) / (end - begin));
      expect(item?.supply_rate).not.toBe(0);
    }
  });
});

/** Each wallet and pool at each height. */
const positions = () =>
  market.people.flatMap((wallet) => heights().flatMap((height) => market.pools.map((pool) => ({ wallet, height, pool }))));

describe("balances of protocol 02", () => {
  it("are the wallet's shares, valued at their part of the pool, at five heights", async () => {
    for (const { wallet, height, pool } of positions()) {
      const item = (await itemsOf("balances", { height, wallet })).find(({ pool_address }) => pool_address === pool.address);
      const shares = await views.sharesOf(pool, wallet, height);
      expect(item?.balance ?? "0", `${pool.name} of ${wallet} at ${height}`).toBe(String(shares));
      if (item === undefined) continue;
      const value = totalValue(pool, await views.poolTokens(pool, height));
      const supply = Number(await views.supplyOf(pool, height));
      expect(item).toMatchObject({ position: "liquidity", contract_address: pool.address, contract_decimals: 18 });
      expectClose(item.quote, value === null ? null : (value * Number(shares)) / supply);
      expectClose(item.quote_rate, value === null ? null : (value * 1e18) / supply);
    }
  });

  it("are empty for an account without shares", async () => {
    expect(await itemsOf("balances", { height: head, wallet: market.vault.replace(/.$/, "0") as Address })).toEqual([]);
  });
});

describe("tokens of protocol 02", () => {
  it("are the tokens that an exit would return for the wallet's shares, at five heights", async () => {
    for (const { wallet, height, pool } of positions()) {
      const item = (await itemsOf("tokens", { height, wallet })).find(({ pool_address }) => pool_address === pool.address);
      const shares = await views.sharesOf(pool, wallet, height);
      expect(item?.lp_token_balance ?? "0").toBe(String(shares));
      if (item === undefined) continue;
      const expected = await views.exitOf(pool, shares, height);
      expect(item.tokens, `${pool.name} of ${wallet} at ${height}`).toMatchObject(expected);
      expectClose(item.total_quote, sumOf(expected.map(({ contract_address, balance }) => usdOf(contract_address, BigInt(balance)))));
    }
  });

  it("are restricted to one pool by its address", async () => {
    const [wallet] = market.people as [Address];
    const all = await itemsOf("tokens", { height: head, wallet });
    expect(all.length).toBe(market.pools.length);
    for (const { address } of market.pools) {
      const items = await itemsOf("tokens", { height: head, wallet, pool: address });
      expect(items).toEqual(all.filter(({ pool_address }) => pool_address === address));
    }
  });
});
