import { afterAll, beforeAll, expect, it } from "vitest";
import { type Address, nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import type { CToken, CTokenFixture } from "./market.ts";
import { type CTokenStory, expectQuote } from "./story.ts";
import { blocksPerYearAt, marketAt, positionAt, ratesAt } from "./views.ts";

/** Declares tests that compare responses about a story's markets with what the contracts return. */
export const testCTokenOperations = (start: () => Promise<CTokenStory<CTokenFixture>>): void => {
  let story: CTokenStory<CTokenFixture>;

  beforeAll(async () => {
    story = await start();
  });
  afterAll(async () => {
    await story?.end();
  });

  /** Expects a market's item in market_data to equal what its functions return at a height. */
  const expectMarket = async (item: Readonly<Record<string, unknown>> | undefined, cToken: CToken, height: number): Promise<void> => {
    const { tokens, borrows, cash, supply, utilization } = await marketAt(story.view, cToken, height);
    expect(item, `${cToken.address} at ${height}`).toMatchObject({
      name: "Receipt",
      asset_address: cToken.asset ?? nativeTokenAddress,
      asset_decimals: cToken.decimals,
      block_height: height,
      total_supply: String(supply),
      total_borrow: String(borrows),
      available_liquidity: String(cash),
      lp_token_address: cToken.address,
      lp_token_total_supply: String(tokens),
    });
    expect(item?.utilization_rate).toBeCloseTo(utilization, 12);
    expectQuote(item?.total_value_locked_quote, story.inDollars(supply, cToken));
    expectQuote(item?.total_supply_quote, story.inDollars(supply, cToken));
    expectQuote(item?.total_borrow_quote, story.inDollars(borrows, cToken));
  };

  it("have the totals that the contracts return, including after donations, payouts and blocks without a market event", async () => {
    for (const height of story.heights) {
      const items = await story.itemsOf("market_data", { height });
      expect(items.map(({ pool_address }) => pool_address).sort()).toEqual(story.market.all.map(({ address }) => address).sort());
      for (const cToken of story.market.all)
        await expectMarket(
          items.find(({ pool_address }) => pool_address === cToken.address),
          cToken,
          height,
        );
    }
  });

  it("use the rate per block after the newest accrual, times the blocks per year, as their simple annual rate", async () => {
    const rates = new Set<unknown>();
    // The first height is skipped: the deployment's blocks may have the same time.
    for (const height of story.heights.slice(1)) {
      const blocksPerYear = await blocksPerYearAt(story.chain, height);
      for (const item of await story.itemsOf("markets", { height })) {
        const cToken = story.market.all.find(({ address }) => address === item.pool_address) as CToken;
        const expectedRates = await ratesAt(story.chain, story.view, cToken, height, blocksPerYear);
        for (const [field, expected] of Object.entries(expectedRates)) {
          expect(Math.abs((item[field] as number) - expected)).toBeLessThanOrEqual(expected * 1e-12);
          rates.add(item[field]);
        }
      }
    }
    expect(rates.size).toBeGreaterThan(12);
  });

  it("are ordered by value and agree with each other", async () => {
    const { itemsOf, head: height } = story;
    const markets = await itemsOf("markets", { height });
    const values = markets.map(({ total_value_locked_quote: value }) => (value as number | null) ?? -1);
    expect(values).toEqual([...values].sort((left, right) => right - left));
    const details = await itemsOf("market_data", { height });
    for (const [position, item] of markets.entries()) expect(details[position]).toMatchObject(item);
  });

  it("can be filtered by a market's address; any other contract's address returns an empty list", async () => {
    const { itemsOf, head: height, market } = story;
    const { address } = market.all.at(-1) as CToken;
    expect((await itemsOf("market_data", { height, pool: address })).map(({ pool_address }) => pool_address)).toEqual([address]);
    expect(await itemsOf("market_data", { height, pool: market.registry })).toEqual([]);
  });

  /** An account's positions in a market, as its contract returns them. */
  const positionsIn = async (cToken: CToken, wallet: Address, height: number): Promise<string[]> => {
    const { supplied, borrowed, holdsTokens } = await positionAt(story.view, cToken, wallet, height);
    return [
      ...(holdsTokens ? [`${cToken.address} supplied ${supplied}`] : []),
      ...(borrowed > 0n ? [`${cToken.address} borrowed ${borrowed}`] : []),
    ];
  };

  it("list an account's tokens at the stored exchange rate, and its stored debt, as balances", async () => {
    const { market, itemsOf } = story;
    let debts = 0;
    for (const wallet of [...market.people, market.debtor, market.router]) {
      for (const height of story.heights) {
        const expected = await Promise.all(market.all.map((cToken) => positionsIn(cToken, wallet, height)));
        const items = await itemsOf("balances", { wallet, height });
        const actual = items.map(({ pool_address, position, balance }) => `${pool_address} ${position} ${balance}`);
        expect(actual.sort(), `${wallet} at ${height}`).toEqual(expected.flat().sort());
        for (const item of items) {
          const cToken = market.all.find(({ address }) => address === item.pool_address) as CToken;
          expect(item).toMatchObject({ contract_address: cToken.asset ?? nativeTokenAddress, contract_decimals: cToken.decimals });
          expectQuote(item.quote, story.inDollars(BigInt(item.balance as string), cToken));
        }
        debts += actual.filter((line) => line.includes("borrowed")).length;
      }
    }
    expect(debts).toBeGreaterThan(20);
  });

  it("have no balances for an account without positions", async () => {
    const { itemsOf, head: height, market } = story;
    for (const wallet of [market.registry, ...market.all.map(({ address }) => address)])
      expect(await itemsOf("balances", { wallet, height })).toEqual([]);
  });
};
