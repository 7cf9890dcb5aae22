import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Address, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { encodeCall } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { type ResponseData, servePools, type TestApi } from "../pools/serve-pools.ts";
import { readContract, uniswapV2 } from "../pools/support.ts";
import { type Pricing, startPricing } from "../prices/support.ts";
import { createExpectedValues, type ExpectedValues, expectNearOrNull } from "./expected-values.ts";
import { firstMidnight, type Market, startMarket, units } from "./market.ts";
import { secondsPerDay, secondsPerHour } from "./support.ts";

// Compares responses with the node's state and logs at several heights; the jobs run as in production.
let market: Market;
let testDatabase: TestDatabase;
let pricing: Pricing;
let api: TestApi;
let drained: Address;
const timeAt = (day: number, hour: number, minute = 0): number => firstMidnight + day * secondsPerDay + hour * secondsPerHour + minute * 60;

/** Each chapter sends transactions; the responses are compared at its end. */
const chapters: readonly (readonly [name: string, transact: () => Promise<void>])[] = [
  [
    "after a day",
    async () => {
      const { mainExchange, twinExchange, concentratedExchange, concentratedPoolKey, people, tokens, mineBlock } = market;
      const { usd, gold, ticket, saffron, toll, bare } = tokens;
      const [first, second] = people;
      const side = concentratedPoolKey.tokens[0] === usd ? 0 : 1;
      await mineBlock(
        timeAt(0, 2),
        mainExchange.swap(second, 20_000n * units.usd, [usd, gold]),
        twinExchange.swap(first, 900n * units.toll, [toll, usd]),
      );
      await mineBlock(
        timeAt(0, 5, 10),
        mainExchange.addLiquidity(second, [usd, gold], [60_000n * units.usd, 20n * units.gold]),
        mainExchange.swap(first, 333n, [ticket, usd]),
      );
      // In the 15 minutes before six, one price holds for eight minutes, a second for two and a third for five.
      await mineBlock(timeAt(0, 5, 45), twinExchange.swap(second, 7_000n * units.saffron, [saffron, gold]));
      await mineBlock(
        timeAt(0, 5, 53),
        mainExchange.swap(second, 500_000n * units.usd, [usd, gold]),
        concentratedExchange.swap(first, 9_000n * units.usd, concentratedPoolKey, side),
      );
      await mineBlock(
        timeAt(0, 5, 55),
        mainExchange.swap(second, 200n * units.gold, [gold, usd]),
        mainExchange.swap(first, 10n ** 6n, [bare, gold]),
      );
      await mineBlock(
        timeAt(0, 20, 30),
        twinExchange.swap(first, 4_000n * units.usd, [usd, gold, saffron]),
        twinExchange.swap(second, 300n * units.usd, [usd, toll]),
      );
      await mineBlock(
        timeAt(1, 0, 40),
        mainExchange.swap(second, 8_000n * units.usd, [usd, ticket]),
        market.answer("ether", 2_222_00000000n),
      );
    },
  ],
  [
    "during an hour in which a price moved and returned",
    async () => {
      const { mainExchange, twinExchange, people, tokens, mineBlock } = market;
      const { usd, gold, ticket, toll } = tokens;
      const [first, second, third] = people;
      await mineBlock(
        timeAt(1, 9, 3),
        mainExchange.addLiquidity(first, [gold, ticket], [units.gold * 10n, 3_000n]),
        twinExchange.addLiquidity(third, [usd, toll], [10n ** 9n, 10n ** 21n]),
      );
      drained = await mainExchange.pairOf(gold, ticket);
      await mineBlock(timeAt(1, 9, 20), mainExchange.swap(third, units.gold, [gold, ticket]), market.approveShares(drained));
      await mineBlock(timeAt(1, 9, 58), mainExchange.swap(third, 700n * units.gold, [gold, usd]));
      await mineBlock(timeAt(1, 10, 1), mainExchange.swap(third, 1_500_000n * units.usd, [usd, gold]), market.answer("euro", 1_20000000n));
      await mineBlock(timeAt(1, 10, 5), mainExchange.swap(second, 12n * units.gold, [gold, usd]));
    },
  ],
  [
    "after a pool was drained and shares were transferred and burnt",
    async () => {
      const { chain, mainExchange, twinExchange, people, tokens, pairs, mineBlock } = market;
      const { usd, gold, ticket, saffron } = tokens;
      const [first, second, third] = people;
      const shares = await readContract<bigint>(chain, uniswapV2.pair(), drained, "balanceOf", [first], await chain.head());
      const transferShares = { from: second, ...encodeCall(uniswapV2.pair(), pairs.gold, "transfer", [third, 10n ** 12n]) };
      await mineBlock(timeAt(3, 7, 1), mainExchange.removeLiquidity(first, [gold, ticket], shares), transferShares);
      await mineBlock(
        timeAt(3, 7, 50),
        mainExchange.removeLiquidity(first, [usd, gold], 10n ** 15n),
        twinExchange.swap(first, 3n * units.gold, [gold, usd]),
      );
      await mineBlock(timeAt(3, 7, 56), twinExchange.swap(third, 5_000n * units.saffron, [saffron, gold, usd]));
      await mineBlock(timeAt(3, 8, 30), mainExchange.swap(second, 40_000n * units.usd, [usd, gold]));
    },
  ],
];

beforeAll(async () => {
  market = await startMarket();
  testDatabase = await createTestDatabase();
  pricing = await startPricing(market.chain, testDatabase.database, market.config, market.jobs);
  api = await servePools(testDatabase.database, market.exchanges, () => new Date(timeAt(9, 0) * 1000));
}, 120_000);
afterAll(async () => {
  await api?.end();
  await pricing?.end();
  await testDatabase?.drop();
  await market?.chain.stop();
});

/** Compares a pool's item with the node's reserves and supply, its swap logs and prices as of a time. */
const expectPool = async (node: ExpectedValues, item: ResponseData, end: number): Promise<void> => {
  const pair = item.exchange as Address;
  const { reserves, supply } = await node.poolAt(pair, node.heightBefore(end));
  expect([item.token_0.reserve, item.token_1.reserve, item.total_supply], pair).toEqual([...reserves, supply].map(String));
  const day = node.swapsOf(pair, end - secondsPerDay, end);
  const week = node.swapsOf(pair, end - 7 * secondsPerDay, end);
  expect(item.swap_count_24h).toBe(day.length);
  for (const side of [0, 1] as const) {
    const token = side === 0 ? item.token_0 : item.token_1;
    expect([token.volume_in_24h, token.volume_out_24h, token.volume_in_7d, token.volume_out_7d]).toEqual(
      [day, week].flatMap((swaps) => ["In", "Out"].map((direction) => String(node.sum(swaps, `amount${side}${direction}`)))),
    );
    expectNearOrNull(token.quote_rate, node.wholeRate(token.contract_address, end - 1), `${pair} ${token.contract_ticker_symbol}`);
  }
  const [volume, liquidity] = [node.volume(pair, end - secondsPerDay, end), node.liquidity(pair, reserves, end - 1)];
  expectNearOrNull(item.total_liquidity_quote, liquidity, `liquidity of ${pair}`);
  expectNearOrNull(item.volume_24h_quote, volume, `volume of ${pair}`);
  expectNearOrNull(item.volume_7d_quote, node.weekVolume(pair, end), `week of ${pair}`);
  expectNearOrNull(item.fee_24h_quote, volume === null ? null : volume * 0.003, `fees of ${pair}`);
  expectNearOrNull(item.quote_rate, await node.shareRate(pair, end - 1), `share of ${pair}`);
};

describe.each(chapters)("an index %s", (_, transact) => {
  let node: ExpectedValues;
  let closedEnd: number;
  const names = ["swap", "twin"] as const;
  const pairsOf = (name: (typeof names)[number]) => node.pairs.filter((pair) => node.exchangeOf(pair) === name);

  beforeAll(async () => {
    await transact();
    await pricing.computeAll();
    node = await createExpectedValues(market);
    closedEnd = Math.floor(node.headTime / secondsPerHour) * secondsPerHour;
  }, 60_000);

  it("returns each pool's state as of the node's head", async () => {
    for (const pair of node.pairs)
      await expectPool(node, (await api.get(`week/xy=k/${node.exchangeOf(pair)}/pools/address/${pair}/`)).items[0], node.headTime + 1);
  });

  it("lists pools with a swap in seven days by liquidity, as of the last closed hour and each previous day", async () => {
    for (const name of names) {
      const days = Array.from(
        { length: Math.floor((closedEnd - firstMidnight) / secondsPerDay) },
        (_unused, day) => firstMidnight + (day + 1) * secondsPerDay,
      );
      for (const end of [closedEnd, ...days]) {
        const date = end === closedEnd ? "" : `?date=${new Date((end - 1) * 1000).toISOString().slice(0, 10)}`;
        const { items } = await api.get(`week/xy=k/${name}/pools/${date}`);
        const active = pairsOf(name).filter((pair) => node.swapsOf(pair, end - 7 * secondsPerDay, end).length > 0);
        expect(items.map((item: ResponseData) => item.exchange).sort()).toEqual([...active].sort());
        const values = items.map((item: ResponseData) => item.total_liquidity_quote ?? -1);
        expect(values).toEqual(values.toSorted((left: number, right: number) => right - left));
        for (const item of items) await expectPool(node, item, end);
      }
    }
  });

  it("returns each exchange's totals", async () => {
    for (const name of names) {
      const [item] = (await api.get(`week/xy=k/${name}/ecosystem/`)).items;
      const swaps = pairsOf(name).map((pair) => node.swapsOf(pair, closedEnd - secondsPerDay, closedEnd).length);
      const volumes = pairsOf(name).map((pair) => node.volume(pair, closedEnd - secondsPerDay, closedEnd) ?? 0);
      const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
      expect(item.total_swaps_24h).toBe(total(swaps));
      expectNearOrNull(item.total_fees_24h, total(volumes) * 0.003, `fees of ${name}`);
      expectNearOrNull(item.gas_token_price_quote, node.wholeRate(nativeTokenAddress, node.headTime), "the native token");
    }
  });

  it("returns a wallet's shares and the reserves that they represent", async () => {
    for (const [name, person] of names.flatMap((exchange) => market.people.map((owner) => [exchange, owner] as const))) {
      const { items } = await api.get(`week/xy=k/${name}/address/${person}/balances/`);
      const heldPairs: Address[] = [];
      for (const pair of pairsOf(name)) if ((await node.sharesOf(pair, person)) > 0n) heldPairs.push(pair);
      expect(items.map((item: ResponseData) => item.pool_token.contract_address)).toEqual(heldPairs.sort());
      for (const { pool_token: lpToken, token_0: first, token_1: second } of items) {
        const shares = await node.sharesOf(lpToken.contract_address, person);
        const { reserves, supply } = await node.poolAt(lpToken.contract_address, node.head);
        const parts = reserves.map((reserve) => (reserve * shares) / supply);
        expect([lpToken.balance, lpToken.total_supply, first.balance, second.balance]).toEqual([shares, supply, ...parts].map(String));
        expectNearOrNull(lpToken.quote, node.value(shares, await node.shareRate(lpToken.contract_address, node.headTime), 18), "shares");
        for (const [side, token] of [first, second].entries())
          expectNearOrNull(token.quote, node.value(parts[side] ?? 0n, node.rate(token.contract_address, node.headTime)), "a part");
      }
    }
  });

  it("prices tokens with 0 to 27 decimals through pairs, concentrated pools and feeds, and returns null for an unknown token", async () => {
    const { tokens } = market;
    const assets = [...Object.values(tokens), nativeTokenAddress];
    const response = await api.get(`pricing/historical_by_addresses_v2/week/EUR/${assets}/?from=2023-11-15&to=2023-11-18`);
    for (const [position, asset] of assets.entries()) {
      for (const { date, price } of response[position].prices) {
        const start = Date.parse(date) / 1000;
        const time = Math.min(start + secondsPerDay - 1, node.headTime);
        const rate = start > node.headTime ? null : node.wholeRate(asset, time);
        expectNearOrNull(price, rate === null ? null : rate / node.euro(time), `${asset} on ${date}`);
      }
    }
    expect(node.wholeRate(tokens.bare, node.headTime)).toBeNull();
    expect(node.wholeRate(tokens.ticket, node.headTime)).toBeGreaterThan(5);
  });
});
