import { afterAll, beforeAll, expect, it } from "vitest";
import { type Address, type Hex, nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import { timeOf } from "../operations.ts";
import type { CToken, CTokenUse } from "./market.ts";
import { type CTokenStory, expectQuote } from "./story.ts";

const secondsPerYear = 31_536_000;
const secondsPerMonth = 30 * 86_400;

/** Declares tests that compare the answers about a story's markets with the functions of the contracts. */
export const testCTokenOperations = (start: () => Promise<CTokenStory<CTokenUse>>): void => {
  let story: CTokenStory<CTokenUse>;

  beforeAll(async () => {
    story = await start();
  });
  afterAll(async () => {
    await story?.end();
  });

  /** The item of a market in market_data must be what its functions return at a height. */
  const compareMarket = async (item: Readonly<Record<string, unknown>> | undefined, one: CToken, height: number): Promise<void> => {
    const read = (name: string): Promise<bigint> => story.view(one, name, [], height);
    const [tokens, rate, borrows] = [await read("totalSupply"), await read("exchangeRateStored"), await read("totalBorrows")];
    const [cash, reserves] = [await read("getCash"), await read("totalReserves")];
    const supply = (tokens * rate) / 10n ** 18n;
    expect(item, `${one.address} at ${height}`).toMatchObject({
      name: "Receipt",
      asset_address: one.asset ?? nativeTokenAddress,
      asset_decimals: one.decimals,
      block_height: height,
      total_supply: String(supply),
      total_borrow: String(borrows),
      available_liquidity: String(cash),
      lp_token_address: one.address,
      lp_token_total_supply: String(tokens),
    });
    expect(item?.utilization_rate).toBeCloseTo(borrows === 0n ? 0 : Number(borrows) / Number(cash + borrows - reserves), 12);
    expectQuote(item?.total_value_locked_quote, story.inDollars(supply, one));
    expectQuote(item?.total_supply_quote, story.inDollars(supply, one));
    expectQuote(item?.total_borrow_quote, story.inDollars(borrows, one));
  };

  it("have the totals that the contracts return, including after donations, payouts and blocks without an event of the market", async () => {
    for (const height of story.heights) {
      const items = await story.itemsOf("market_data", { height });
      expect(items.map(({ pool_address }) => pool_address).sort()).toEqual(story.market.all.map(({ address }) => address).sort());
      for (const one of story.market.all)
        await compareMarket(
          items.find(({ pool_address }) => pool_address === one.address),
          one,
          height,
        );
    }
  });

  /** The newest block up to a height in which a market accrued interest; 0 if there is none. */
  const accrualBefore = async ({ address }: CToken, height: number): Promise<number> => {
    // keccak256 of AccrueInterest(uint256,uint256,uint256,uint256) and of AccrueInterest(uint256,uint256,uint256).
    const topics = [
      [
        "0x4dec04e750ca11537cabcd8a9eab06494de08da3735bc8871cd41250e190bc04",
        "0x875352fb3fadeb8c0be7cbbe8ff761b308fa7033470cd0287f02f3436fd76cb9",
      ],
    ];
    const filter = { fromBlock: "0x0", toBlock: `0x${height.toString(16)}`, address, topics };
    const logs = await story.chain.rpc<{ blockNumber: Hex }[]>("eth_getLogs", [filter]);
    return Number(logs.at(-1)?.blockNumber ?? 0);
  };

  /** The blocks in 365 days at the average of the 30 days before a block. */
  const blocksPerYearAt = async (height: number): Promise<number> => {
    const time = await timeOf(story.chain, height);
    let first = height;
    while (first > 0 && (await timeOf(story.chain, first - 1)) >= time - secondsPerMonth) first -= 1;
    return ((height - first) * secondsPerYear) / (time - (await timeOf(story.chain, first)));
  };

  it("have simple yearly rates: the rate per block after the newest accrual, times the blocks of a year", async () => {
    const rates = new Set<unknown>();
    // The blocks of the deployment may have the same time.
    for (const height of story.heights.slice(1)) {
      const blocksPerYear = await blocksPerYearAt(height);
      for (const item of await story.itemsOf("markets", { height })) {
        const one = story.market.all.find(({ address }) => address === item.pool_address) as CToken;
        const block = (await accrualBefore(one, height)) || height;
        for (const [field, name] of [
          ["supply_rate", "supplyRatePerBlock"],
          ["borrow_rate", "borrowRatePerBlock"],
        ] as const) {
          const expected = (Number(await story.view(one, name, [], block)) / 1e18) * blocksPerYear;
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

  it("are those of one market with its address, and none with another one", async () => {
    const { itemsOf, head: height, market } = story;
    const { address } = market.all.at(-1) as CToken;
    expect((await itemsOf("market_data", { height, pool: address })).map(({ pool_address }) => pool_address)).toEqual([address]);
    expect(await itemsOf("market_data", { height, pool: market.registry })).toEqual([]);
  });

  /** The positions of an account in a market by the functions of its contract. */
  const positionsIn = async (one: CToken, wallet: Address, height: number): Promise<string[]> => {
    const tokens = await story.view(one, "balanceOf", [wallet], height);
    const supplied = (tokens * (await story.view(one, "exchangeRateStored", [], height))) / 10n ** 18n;
    const owed = await story.view(one, "borrowBalanceStored", [wallet], height);
    return [...(tokens > 0n ? [`${one.address} supplied ${supplied}`] : []), ...(owed > 0n ? [`${one.address} borrowed ${owed}`] : [])];
  };

  it("have balances: the tokens of an account at the stored exchange rate, and its stored debt", async () => {
    const { market, itemsOf } = story;
    let debts = 0;
    for (const wallet of [...market.people, market.debtor, market.router]) {
      for (const height of story.heights) {
        const expected = await Promise.all(market.all.map((one) => positionsIn(one, wallet, height)));
        const items = await itemsOf("balances", { wallet, height });
        const shown = items.map(({ pool_address, position, balance }) => `${pool_address} ${position} ${balance}`);
        expect(shown.sort(), `${wallet} at ${height}`).toEqual(expected.flat().sort());
        for (const item of items) {
          const one = market.all.find(({ address }) => address === item.pool_address) as CToken;
          expect(item).toMatchObject({ contract_address: one.asset ?? nativeTokenAddress, contract_decimals: one.decimals });
          expectQuote(item.quote, story.inDollars(BigInt(item.balance as string), one));
        }
        debts += shown.filter((line) => line.includes("borrowed")).length;
      }
    }
    expect(debts).toBeGreaterThan(20);
  });

  it("have no balances of an account without positions", async () => {
    const { itemsOf, head: height, market } = story;
    for (const wallet of [market.registry, ...market.all.map(({ address }) => address)])
      expect(await itemsOf("balances", { wallet, height })).toEqual([]);
  });
};
