import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../demo/story/random.ts";
import type { Address, Hex } from "../../runtime/lib/hex.ts";
import { contracts } from "../integration/domains/community/lending/contracts.ts";
import type { LendingReserve } from "../integration/domains/community/lending/market.ts";
import { builtInProtocol, createItemsOf, type ItemsOf, insertTokens, timeOf } from "../integration/domains/community/operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../integration/domains/community/support.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { type RealLendingMarket, startRealLending } from "./aave-market.ts";
import { expectNear, type ProtocolChain, startProtocolChain } from "./support.ts";

const protocol = builtInProtocol("protocol_01");

let world: ProtocolChain;
let market: RealLendingMarket;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let itemsOf: ItemsOf;
/** The compared heights: before the first action, at and between actions, before and at the liquidations, and the head. */
let heights: number[];

beforeAll(async () => {
  world = await startProtocolChain();
  market = await startRealLending(world);
  const { chain } = world;
  const first = (await chain.head()) + 1;
  const wait = async (seconds: number) => chain.mine((await timeOf(chain, await chain.head())) + seconds);
  await world.execute(...market.firstTransactions());
  await world.execute(...market.firstStableTransactions());
  const random = createRandom("lending with real contracts");
  const hashes: Hex[] = [];
  for (let step = 0; step < 40; step += 1) {
    if (step % 5 !== 4)
      hashes.push(...(await chain.send(...Array.from({ length: random.between(3, 8) }, () => market.randomTransaction(random)))));
    await wait(random.between(1, 300_000));
  }
  const receipts = await world.receiptsOf(hashes);
  expect(receipts.filter(({ status }) => status === "0x1").length).toBeGreaterThan(0.5 * hashes.length);
  const beforeLiquidations = await chain.head();
  await market.liquidate(false);
  await market.liquidate(true);
  await wait(2);
  testDatabase = await createTestDatabase();
  const community = {
    protocol_01: {
      pool: market.pools.map(({ address }) => address),
      configurator: market.pools.filter(({ isV2 }) => !isV2).map(({ configurator }) => configurator),
      configurator_v2: market.pools.filter(({ isV2 }) => isV2).map(({ configurator }) => configurator),
    },
  };
  index = await startCommunityIndex(chain, testDatabase.database, { protocols: [protocol], community });
  await index.sync();
  await insertTokens(testDatabase.database, [
    ...market.coins.map(({ address, decimals, price }) => ({ address, decimals, price, name: `Coin ${decimals}` })),
    ...market.reserves.map(({ aToken, coin: { decimals } }) => ({ address: aToken, decimals, name: `Receipt ${decimals}` })),
  ]);
  itemsOf = createItemsOf(testDatabase.database, protocol);
  const head = await chain.head();
  heights = [first - 1, first, first + 5, first + 13, first + 20, first + 31, beforeLiquidations, beforeLiquidations + 3, head - 1, head];
});
afterAll(async () => {
  await index?.end();
  await testDatabase?.drop();
  await world?.chain.stop();
});

const inDollars = (amount: bigint, { decimals, price }: LendingReserve["coin"]): number => (Number(amount) / 10 ** decimals) * price;

const readToken = (token: Address, name: string, args: readonly unknown[], height: number): Promise<bigint> =>
  world.read(contracts("Coin"), token, name, args, { height });

/** A reserve's state from its tokens and the data provider. */
const reserveAt = async ({ pool, coin, aToken, variableDebt, stableDebt, isV2 }: LendingReserve, height: number) => {
  const found = market.pools.find(({ address }) => address === pool) as RealLendingMarket["pools"][number];
  const state = await world.read<readonly (bigint | number)[]>(found.providerArtifact, found.provider, "getReserveData", [coin.address], {
    height,
  });
  const rate = (position: number): number => Number(state[position]) / 1e27;
  return {
    supplied: await readToken(aToken, "totalSupply", [], height),
    lent: (await readToken(variableDebt, "totalSupply", [], height)) + (await readToken(stableDebt, "totalSupply", [], height)),
    available: await readToken(coin.address, "balanceOf", [aToken], height),
    supplyRate: rate(isV2 ? 3 : 5),
    borrowRate: rate(isV2 ? 4 : 6),
  };
};

const expectMarket = async (
  item: Readonly<Record<string, unknown>> | undefined,
  reserve: LendingReserve,
  height: number,
): Promise<void> => {
  const { coin, aToken, isV2 } = reserve;
  const { supplied, lent, available, supplyRate, borrowRate } = await reserveAt(reserve, height);
  const label = `${aToken} of version ${isV2 ? 2 : 3} at ${height}`;
  expect(item, label).toMatchObject({
    ...{ asset_address: coin.address, asset_decimals: coin.decimals, block_height: height },
    ...{ total_supply: String(supplied), total_borrow: String(lent), available_liquidity: String(available) },
    ...{ lp_token_address: aToken, lp_token_total_supply: String(supplied) },
  });
  expectNear(item?.total_value_locked_quote, inDollars(supplied, coin), label);
  expectNear(item?.total_supply_quote, inDollars(supplied, coin), label);
  expectNear(item?.total_borrow_quote, inDollars(lent, coin), label);
  expectNear(item?.utilization_rate, lent === 0n ? 0 : Number(lent) / Number(lent + available), label);
  expectNear(item?.supply_rate, supplyRate, label);
  expectNear(item?.borrow_rate, borrowRate, label);
};

/** An account's non-zero positions, by `supplied` or `borrowed` and the aToken. */
const positionsAt = async (wallet: Address, height: number): Promise<Record<string, string>> => {
  const found: Record<string, string> = {};
  for (const { aToken, variableDebt, stableDebt } of market.reserves) {
    const [supplied = 0n, variable = 0n, stable = 0n] = await Promise.all(
      [aToken, variableDebt, stableDebt].map((token) => readToken(token, "balanceOf", [wallet], height)),
    );
    if (supplied > 0n) found[`supplied ${aToken}`] = String(supplied);
    if (variable + stable > 0n) found[`borrowed ${aToken}`] = String(variable + stable);
  }
  return found;
};

describe("protocol 01 with real version 2 and 3 pools", () => {
  it("has the supplies, debts, liquidity and rates that the contracts return", async () => {
    for (const height of heights) {
      const items = await itemsOf("market_data", { height });
      expect(items.length).toBe(market.reserves.length);
      for (const reserve of market.reserves)
        await expectMarket(
          items.find(({ pool_address }) => pool_address === reserve.aToken),
          reserve,
          height,
        );
      for (const item of await itemsOf("markets", { height }))
        expect(items.find(({ pool_address }) => pool_address === item.pool_address)).toMatchObject(item);
    }
  });

  it("has aToken and debt token balances", async () => {
    const positions = new Set<string>();
    const wallets = [...market.people, market.debtor, market.treasury];
    for (const [wallet, height] of wallets.flatMap((owner) => heights.map((block) => [owner, block] as const))) {
      const items = await itemsOf("balances", { wallet, height });
      const found = Object.fromEntries(items.map(({ position, pool_address, balance }) => [`${position} ${pool_address}`, balance]));
      expect(found, `${wallet} at ${height}`).toEqual(await positionsAt(wallet, height));
      for (const { pool_address, balance, quote } of items) {
        const reserve = market.reserves.find(({ aToken }) => aToken === pool_address) as LendingReserve;
        expectNear(quote, inDollars(BigInt(balance as string), reserve.coin));
      }
      for (const key of Object.keys(found)) positions.add(key);
    }
    expect(positions.size).toBe(2 * market.reserves.length);
  });

  it("covers all kinds of events", async () => {
    const [counts = {}] = await testDatabase.database.query<Record<string, number>>(
      `SELECT count(*) FILTER (WHERE minted < balance_increase) AS small_withdrawals, count(*) FILTER (WHERE balance_increase IS NULL) AS v2_changes,
         (SELECT count(*) FROM cq_protocol_01.a_token_transfers) AS transfers,
         (SELECT count(*) FROM cq_protocol_01.variable_debt_changes WHERE minted < balance_increase) AS small_repayments,
         (SELECT count(*) FROM cq_protocol_01.stable_debt_changes WHERE minted IS NOT NULL) AS stable_mints,
         (SELECT count(*) FROM cq_protocol_01.stable_debt_changes WHERE burned IS NOT NULL) AS stable_burns,
         (SELECT count(*) FROM cq_protocol_01.liquidations) AS liquidations
       FROM cq_protocol_01.a_token_changes`,
    );
    for (const [name, count] of Object.entries(counts)) expect(count, name).toBeGreaterThan(1);
  });
});
