import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { builtInProtocol, createItemsOf, expectPages, type ItemsOf } from "../operations.ts";
import { actionsOf, servedActions } from "./actions.ts";
import type { LendingReserve } from "./market.ts";
import { type IndexedLending, startIndexedLending } from "./story.ts";
import { viewsOf } from "./views.ts";

const protocol = builtInProtocol("protocol_01");

let lending: IndexedLending;
let itemsOf: ItemsOf;
let views: ReturnType<typeof viewsOf>;

beforeAll(async () => {
  lending = await startIndexedLending(protocol, "operations of lending pools");
  itemsOf = createItemsOf(lending.testDatabase.database, protocol);
  views = viewsOf(lending.chain);
});
afterAll(() => lending?.end());

/** Heights before the first action, at actions, between them, at liquidations, and the head. */
const heights = (): number[] => [
  ...[-1, 0, 3, 5, 6, 7, 8, 13, 22, 30, 39].map((step) => lending.first + step),
  lending.head - 1,
  lending.head,
];

const reserveOf = (item: Readonly<Record<string, unknown>>): LendingReserve => {
  const found = lending.market.reserves.find(({ aToken }) => aToken === item.pool_address);
  if (found === undefined) throw new Error(`No reserve has the aToken ${item.pool_address}`);
  return found;
};

const inDollars = (amount: bigint, { decimals, price }: LendingReserve["coin"]): number => (Number(amount) / 10 ** decimals) * price;

/** Expects a number to be equal up to the precision of a double. */
const expectNear = (actual: unknown, expected: number): void =>
  expect(Math.abs((actual as number) - expected)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(expected)));

const expectMarket = async (item: Readonly<Record<string, unknown>>, height: number): Promise<void> => {
  const { coin, aToken } = reserveOf(item);
  const { supplied, variableDebt, stableDebt, available, supplyRate, borrowRate } = await views.reserveAt(reserveOf(item), height);
  const lent = variableDebt + stableDebt;
  expect(item, `${aToken} at ${height}`).toMatchObject({
    name: `Receipt ${coin.decimals}`,
    asset_address: coin.address,
    asset_decimals: coin.decimals,
    total_supply: String(supplied),
    total_borrow: String(lent),
    available_liquidity: String(available),
    lp_token_address: aToken,
    lp_token_total_supply: String(supplied),
    block_height: height,
  });
  expectNear(item.total_value_locked_quote, inDollars(supplied, coin));
  expectNear(item.total_supply_quote, inDollars(supplied, coin));
  expectNear(item.total_borrow_quote, inDollars(lent, coin));
  expectNear(item.utilization_rate, lent === 0n ? 0 : Number(lent) / Number(lent + available));
  expectNear(item.supply_rate, supplyRate);
  expectNear(item.borrow_rate, borrowRate);
};

describe("market_data and markets of protocol 01", () => {
  it("have the supplies, debts, liquidity and rates that the contracts return", async () => {
    for (const height of heights()) {
      const items = await itemsOf("market_data", { height });
      expect(new Set(items.map(({ pool_address }) => pool_address))).toEqual(new Set(lending.market.reserves.map(({ aToken }) => aToken)));
      for (const item of items) await expectMarket(item, height);
    }
  });

  it("are derived from all kinds of events", async () => {
    const [counts = {}] = await lending.testDatabase.database.query<Record<string, number>>(
      `SELECT count(*) FILTER (WHERE minted < balance_increase) AS small_withdrawals, count(*) FILTER (WHERE balance_increase IS NULL) AS v2_changes,
         (SELECT count(*) FROM cq_protocol_01.a_token_transfers) AS transfers,
         (SELECT count(*) FROM cq_protocol_01.variable_debt_changes WHERE minted < balance_increase) AS small_repayments,
         (SELECT count(*) FROM cq_protocol_01.stable_debt_changes WHERE minted IS NOT NULL AND balance > 0) AS stable_mints,
         (SELECT count(*) FROM cq_protocol_01.stable_debt_changes WHERE burned IS NOT NULL) AS stable_burns
       FROM cq_protocol_01.a_token_changes`,
    );
    for (const [name, count] of Object.entries(counts)) expect(count, name).toBeGreaterThan(3);
  });

  it("are ordered by value and agree with each other", async () => {
    const markets = await itemsOf("markets", { height: lending.head });
    const values = markets.map(({ total_value_locked_quote: value }) => value as number);
    expect(values).toEqual([...values].sort((left, right) => right - left));
    const details = await itemsOf("market_data", { height: lending.head });
    expect(details.length).toBe(markets.length);
    for (const [position, item] of markets.entries()) expect(details[position]).toMatchObject(item);
  });

  it("are restricted to one aToken or one pool by its address, and empty for any other contract", async () => {
    const found = async (pool: Address) =>
      new Set((await itemsOf("market_data", { height: lending.head, pool })).map(({ pool_address }) => pool_address));
    const { pools, reserves, coins } = lending.market;
    for (const { aToken } of reserves) expect(await found(aToken)).toEqual(new Set([aToken]));
    for (const { address } of pools)
      expect(await found(address)).toEqual(new Set(reserves.flatMap(({ pool, aToken }) => (pool === address ? [aToken] : []))));
    for (const { address } of coins) expect(await found(address)).toEqual(new Set());
  });
});

describe("amounts of protocol 01 with old readings", () => {
  it("include the changes since the reading", async () => {
    const expected = await itemsOf("market_data", { height: lending.head });
    for (const table of ["a_token_supply", "variable_debt_supply"])
      await lending.testDatabase.database.query(`DELETE FROM cq_protocol_01_${table} WHERE block_number > $1`, [lending.first + 4]);
    expect(await itemsOf("market_data", { height: lending.head })).toEqual(expected);
  });
});

describe("balances of protocol 01", () => {
  it("equal the aToken and debt-token balances", async () => {
    const { people, treasury, reserves } = lending.market;
    const wallets = [...people, treasury];
    for (const [wallet, height] of wallets.flatMap((owner) => heights().map((block) => [owner, block] as const))) {
      const items = await itemsOf("balances", { wallet, height });
      const found = Object.fromEntries(items.map(({ position, pool_address, balance }) => [`${position} ${pool_address}`, balance]));
      expect(found, `${wallet} at ${height}`).toEqual(await views.positionsAt(reserves, wallet, height));
      for (const item of items) expectNear(item.quote, inDollars(BigInt(item.balance as string), reserveOf(item).coin));
    }
  });

  it("are empty for an account without a position", async () => {
    const [pool] = lending.market.pools;
    expect(await itemsOf("balances", { wallet: pool?.address as Address, height: lending.head })).toEqual([]);
  });
});

describe("transactions of protocol 01", () => {
  it("are the wallet's actions in the node's logs, newest first", async () => {
    const { people, treasury } = lending.market;
    const actions = new Set<unknown>();
    for (const wallet of [...people, treasury]) {
      const items = await itemsOf("transactions", { wallet, height: lending.head });
      expect(servedActions(items)).toEqual(await actionsOf(lending.chain, lending.market, wallet));
      for (const { action } of items) actions.add(action);
    }
    expect(actions).toEqual(new Set(["supply", "deposit", "withdraw", "borrow", "repay", "liquidation", "transfer"]));
  });

  it("have the value of the amounts paid, or of the amounts received if nothing was paid", async () => {
    const [wallet] = lending.market.people as [Address];
    for (const { amounts, total_quote } of await itemsOf("transactions", { wallet, height: lending.head })) {
      const legs = (amounts as { direction: string; amount: string; contract_address: Address; quote: number }[]).map((leg) => {
        const reserve = lending.market.reserves.find(({ aToken, coin }) => [aToken, coin.address].includes(leg.contract_address));
        return { ...leg, value: inDollars(BigInt(leg.amount), reserve?.coin as LendingReserve["coin"]) };
      });
      for (const { quote, value } of legs) expectNear(quote, value);
      const paid = legs.filter(({ direction }) => direction === "OUT");
      const total = (paid.length > 0 ? paid : legs).reduce((sum, { value }) => sum + value, 0);
      if (legs.length === 0) expect(total_quote).toBeNull();
      else expectNear(total_quote, total);
    }
  });

  it("are paginated up to the as-of block", async () => {
    const { head, first } = lending;
    const [wallet] = lending.market.people as [Address];
    await expectPages(itemsOf, wallet, head, first + 20);
  });
});
