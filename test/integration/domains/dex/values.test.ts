import { encodeAbiParameters, keccak256 } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import { poolsProjection } from "../../../../runtime/domains/pools/projection/index.ts";
import { currencyAsset } from "../../../../runtime/domains/prices/engine/assets.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { type Address, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { artifacts, call, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer } from "../../../support/indexer/support.ts";
import { type ResponseData, servePools, type TestApi } from "../pools/serve-pools.ts";
import {
  approve,
  deployExchange,
  mineTransactions,
  mint,
  type PairLog,
  pairLogs,
  read,
  type TestExchange,
  uniswap,
} from "../pools/support.ts";
import {
  dollars,
  exactValue,
  finishHours,
  type PricedAsset,
  rollUp,
  secondsPerDay,
  secondsPerHour,
  writeMetadata,
  writePrices,
} from "./support.ts";

// Ten days of trades on a real exchange; expected values are computed from the pairs' logs, the node's reserves and hand-written prices.
const firstDay = Date.UTC(2023, 10, 15) / 1000;
const firstHour = firstDay / secondsPerHour;
const blocksOfDays = [3, 4, 0, 3, 0, 0, 4, 3, 2, 3];
const random = createRandom("worths");
/** The first day on which gold has a price. */
const firstGoldDay = 2;

let chain: TestChain;
let exchange: TestExchange;
let test: TestDatabase;
let api: TestApi;
/** The first four have 6, 18, 0 and 36 decimals; the last two have no price. */
let tokens: readonly [Address, Address, Address, Address, Address, Address];
/** Both tokens of the first and fourth pair have a price, one token of the second, none of the third. The last pair loses all its tokens. */
let pairs: readonly [Address, Address, Address, Address, Address];
let people: readonly [Address, Address, Address];
let head: number;
let times: number[];
let logs: PairLog[];
let priced: ReadonlyMap<string, PricedAsset>;
const sides = new Map<Address, readonly [Address, Address]>();

const lower = (address: string): Address => address.toLowerCase() as Address;
const headTime = () => times[head] ?? 0;
const closedEnd = () => Math.floor(headTime() / secondsPerHour) * secondsPerHour;
const closingBlock = (hour: number): number => {
  const position = times.findIndex((time) => time >= (hour + 1) * secondsPerHour);
  return position < 0 ? head : position;
};
const hourOf = (end: number): number => Math.floor((end - 1) / secondsPerHour);

const randomTransaction = (): TestTransaction => {
  const from = random.pick(people);
  const [usd, gold, stone, dust, mist, haze] = tokens;
  const share = BigInt(random.between(1, 50));
  return random.pick([
    exchange.swap(from, share * 10n ** 9n, [usd, gold]),
    exchange.swap(from, share * 10n ** 17n, [gold, usd]),
    exchange.swap(from, share * 10n ** 17n, [gold, mist]),
    exchange.swap(from, share * 10n ** 18n, [mist, gold]),
    exchange.swap(from, share * 10n ** 18n, [mist, haze]),
    exchange.swap(from, share * 10n ** 6n, [stone, dust]),
    exchange.swap(from, share * 10n ** 29n, [dust, stone]),
    exchange.add(from, [usd, gold], [share * 10n ** 9n, share * 10n ** 18n]),
    exchange.add(from, [gold, mist], [share * 10n ** 17n, share * 10n ** 18n]),
    exchange.remove(from, [usd, gold], share * 10n ** 9n),
  ]);
};

/** Sets a pair's token balances to 0 without an event. The mapping of balances is in one of the first six storage slots of the token. */
const drain = async (pair: Address): Promise<void> => {
  for (const token of sides.get(pair) ?? []) {
    for (let slotIndex = 0n; slotIndex < 6n; slotIndex += 1n) {
      const slot = keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [pair, slotIndex]));
      const balance = BigInt(await chain.rpc<string>("eth_getStorageAt", [token, slot, "latest"]));
      if (balance > 0n) await chain.rpc("anvil_setStorageAt", [token, slot, `0x${"0".repeat(64)}`]);
    }
  }
  await mineTransactions(chain, [{ gas: 300_000n, ...call(uniswap.pair(), pair, "sync") }]);
};

beforeAll(async () => {
  chain = await startTestChain();
  people = chain.accounts.slice(1, 4).map(lower) as unknown as typeof people;
  exchange = await deployExchange(chain, lower(await chain.deploy(artifacts.weth())));
  const deployed: Address[] = [];
  for (const name of ["Usd", "Gold", "Stone", "Dust", "Mist", "Haze"])
    deployed.push(lower(await chain.deploy(artifacts.erc20(), [name, name])));
  tokens = deployed as unknown as typeof tokens;
  const [usd, gold, stone, dust, mist, haze] = tokens;
  await mineTransactions(
    chain,
    people.flatMap((person) => deployed.flatMap((token) => [mint(token, person, 10n ** 33n), approve(person, token, exchange.router)])),
  );
  const [first] = people;
  await mineTransactions(chain, [
    exchange.add(first, [usd, gold], [3_000_000n * 10n ** 6n, 1_000n * 10n ** 18n]),
    exchange.add(first, [gold, mist], [100n * 10n ** 18n, 900n * 10n ** 18n]),
    exchange.add(first, [mist, haze], [500n * 10n ** 18n, 500n * 10n ** 18n]),
    exchange.add(first, [stone, dust], [10n ** 9n, 10n ** 32n]),
    exchange.add(first, [usd, stone], [10n ** 12n, 10n ** 6n]),
  ]);
  const pairOf = (left: Address, right: Address) => exchange.pairOf(left, right);
  pairs = [
    await pairOf(usd, gold),
    await pairOf(gold, mist),
    await pairOf(mist, haze),
    await pairOf(stone, dust),
    await pairOf(usd, stone),
  ];
  for (const pair of pairs) {
    const height = await chain.head();
    const [token0, token1] = await Promise.all(
      ["token0", "token1"].map((name) => read<string>(chain, uniswap.pair(), pair, name, [], height)),
    );
    sides.set(pair, [lower(token0 ?? ""), lower(token1 ?? "")]);
  }
  await mineTransactions(
    chain,
    people.map((person) => approve(person, pairs[0], exchange.router)),
  );
  await mineTransactions(
    chain,
    people.slice(1).map((person) => exchange.add(person, [usd, gold], [10n ** 11n, 10n ** 20n])),
  );
  for (const [day, blocks] of blocksOfDays.entries()) {
    for (let block = 0; block < blocks; block += 1) {
      const time = firstDay + day * secondsPerDay + Math.floor(((block + 1) * 15 * secondsPerHour) / (blocks + 1));
      await mineTransactions(chain, Array.from({ length: random.between(2, 6) }, randomTransaction), time);
    }
    if (day === 8) {
      // Swaps in the last 24 hours of the list, but before its last day.
      const late = [exchange.swap(first, 10n ** 9n, [usd, stone]), exchange.swap(first, 10n ** 9n, [usd, gold])];
      await mineTransactions(chain, late, firstDay + day * secondsPerDay + 20 * secondsPerHour);
      await drain(pairs[4]);
    }
  }
  // A swap in the current hour, which is not complete, is not in any list.
  await mineTransactions(
    chain,
    [exchange.swap(first, 10n ** 10n, [usd, gold])],
    firstDay + 9 * secondsPerDay + 15 * secondsPerHour + 1_200,
  );
  head = await chain.head();
  const blocks = await chain.batch<{ timestamp: string }>(
    Array.from({ length: head + 1 }, (_, height) => ({ method: "eth_getBlockByNumber", params: [`0x${height.toString(16)}`, false] })),
  );
  times = blocks.map(({ timestamp }) => Number(timestamp));
  logs = await pairLogs(chain, pairs, head);
  test = await createTestDatabase();
  const indexer = await createTestIndexer(chain.url, test.database, { projections: [tokensProjection, poolsProjection] });
  await indexer.runToHead(head);
  await indexer.close();
  const decimals = [6, 18, 0, 36, 18, 18];
  for (const [position, token] of tokens.entries()) await writeMetadata(test.database, token, `T${position}`, decimals[position] ?? 0);
  for (const pair of pairs) await writeMetadata(test.database, pair, "LP", 18);
  const steppedPrice = (base: bigint, step: bigint) => (hour: number) => base + step * BigInt(hour % 50);
  const known: PricedAsset[] = [
    { asset: usd, decimals: 6, cents: () => 100n },
    { asset: gold, decimals: 18, cents: (hour) => (hour < firstHour + 24 * firstGoldDay ? null : steppedPrice(300_000n, 731n)(hour)) },
    { asset: stone, decimals: 0, cents: steppedPrice(250n, 3n) },
    { asset: dust, decimals: 36, cents: steppedPrice(10n ** 9n, 12_345_678n) },
    { asset: nativeTokenAddress, decimals: 18, cents: steppedPrice(200_000n, 11n) },
    { asset: pairs[0], decimals: 18, cents: steppedPrice(777_777n, 5n) },
    { asset: currencyAsset("EUR"), decimals: 0, cents: (hour) => 110n + BigInt(hour % 3) },
  ];
  priced = new Map(known.map((entry) => [entry.asset, entry]));
  await writePrices(test.database, known, firstHour, Math.floor(headTime() / secondsPerHour), closingBlock);
  api = await servePools(test.database, [{ name: "swap", factory: exchange.factory }]);
}, 120_000);
afterAll(async () => {
  await api?.end();
  await test?.drop();
  await chain?.stop();
});

const swapsOf = (selected: readonly Address[], from: number, to: number) =>
  logs.filter(
    ({ name, address, block }) => name === "Swap" && selected.includes(address) && (times[block] ?? 0) >= from && (times[block] ?? 0) < to,
  );
const add = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const heightBefore = (time: number): number => times.filter((blockTime) => blockTime < time).length - 1;
/** Reads a pool's reserves from the node at a height; both are 0 before its creation. */
const reservesAt = async (pair: Address, height: number): Promise<readonly [bigint, bigint]> => {
  const code = height < 0 ? "0x" : await chain.rpc<string>("eth_getCode", [pair, `0x${height.toString(16)}`]);
  if (code === "0x") return [0n, 0n];
  const [first, second] = await read<readonly [bigint, bigint, number]>(chain, uniswap.pair(), pair, "getReserves", [], height);
  return [first, second];
};
/** Returns the value of a pool's swaps at the prices of an hour: of the amounts in, or of the amounts of the only token with a price. */
const volume = (pair: Address, from: number, to: number, hour = hourOf(to)): bigint | null => {
  const swaps = swapsOf([pair], from, to);
  if (swaps.length === 0) return 0n;
  const sumOf = (argument: string) => add(swaps.map(({ args }) => args[argument] as bigint));
  const [first, second] = (sides.get(pair) ?? []).map((token) => priced.get(token));
  const [in0, in1] = [exactValue(sumOf("amount0In"), first, hour), exactValue(sumOf("amount1In"), second, hour)];
  if (in0 !== null && in1 !== null) return in0 + in1;
  return in0 === null
    ? exactValue(sumOf("amount1In") + sumOf("amount1Out"), second, hour)
    : exactValue(sumOf("amount0In") + sumOf("amount0Out"), first, hour);
};
const weekVolume = (pair: Address, end: number): bigint | null => {
  const spans = Array.from({ length: 7 }, (_, day) => volume(pair, end - (day + 1) * secondsPerDay, end - day * secondsPerDay));
  return spans.some((span) => span === null) ? null : add(spans.map((span) => span ?? 0n));
};
const liquidity = async (pair: Address, height: number, hour: number): Promise<bigint | null> => {
  const reserves = await reservesAt(pair, height);
  const values = (sides.get(pair) ?? []).map((token, side) => exactValue(reserves[side] ?? 0n, priced.get(token), hour));
  return values.some((value) => value === null) ? null : add(values.map((value) => value ?? 0n));
};
const sideOf = (pair: Address, token: Address): number => [...(sides.get(pair) ?? [])].indexOf(token);
const priceOf = (asset: string, hour: number): number | null => {
  const cents = priced.get(asset)?.cents(hour) ?? null;
  return cents === null ? null : Number(cents) / 100;
};
/** Returns the fees of a volume at 3,000 millionths. */
const feesOf = (value: bigint | null): number | null => (value === null ? null : Number(`${value * 3_000n}e-66`));
const active = (end: number) => pairs.filter((pair) => swapsOf([pair], end - 7 * secondsPerDay, end).length > 0);
const ranked = async (end: number): Promise<Address[]> => {
  const values = new Map<Address, bigint | null>();
  for (const pair of active(end)) values.set(pair, await liquidity(pair, heightBefore(end), hourOf(end)));
  const known = [...values].filter((entry): entry is [Address, bigint] => entry[1] !== null);
  const unknown = [...values].filter(([, value]) => value === null).map(([pair]) => pair);
  return [...known.sort(([, left], [, right]) => (left < right ? 1 : -1)).map(([pair]) => pair), ...unknown.sort()];
};
const expectPool = async (item: ResponseData, end: number): Promise<void> => {
  const [pair, hour] = [item.exchange as Address, hourOf(end)];
  const [day, week] = [volume(pair, end - secondsPerDay, end), weekVolume(pair, end)];
  const liquidityValue = await liquidity(pair, heightBefore(end), hour);
  expect([item.total_liquidity_quote, item.volume_24h_quote, item.volume_7d_quote, item.fee_24h_quote], pair).toEqual([
    dollars(liquidityValue),
    dollars(day),
    dollars(week),
    feesOf(day),
  ]);
  const annual =
    liquidityValue === null || liquidityValue === 0n || day === null ? null : (Number(day) * 0.003 * 365) / Number(liquidityValue);
  if (annual === null) expect(item.annualized_fee).toBeNull();
  else expect(item.annualized_fee).toBeCloseTo(annual, 12);
  const [first, second] = sides.get(pair) ?? [];
  expect([item.token_0.quote_rate, item.token_1.quote_rate]).toEqual([priceOf(first ?? "", hour), priceOf(second ?? "", hour)]);
  expect(item.quote_rate).toBe(priceOf(pair, hour));
};
const allPages = async (path: string, size: number): Promise<ResponseData[]> => {
  const items: ResponseData[] = [];
  for (let number = 0; ; number += 1) {
    const data = await api.get(`${path}?page-size=${size}&page-number=${number}`);
    items.push(...data.items);
    if (!data.pagination.has_more) {
      expect(data.pagination.total_count).toBe(items.length);
      return items;
    }
    expect(data.items).toHaveLength(size);
  }
};
const dateOf = (start: number) => new Date(start * 1000).toISOString().slice(0, 10);
/** Midnights of the last days up to that of a time, oldest first. */
const midnights = (end: number, count: number): number[] =>
  Array.from({ length: count }, (_, position) => (Math.floor((end - 1) / secondsPerDay) - count + 1 + position) * secondsPerDay);

/** Compares one day of a pool's series with its swaps and the pool's state at its end. */
const expectDay = async (item: ResponseData, position: number, start: number, to: number): Promise<void> => {
  const [pair, hour] = [item.exchange as Address, hourOf(to)];
  const [first = "", second = ""] = sides.get(pair) ?? [];
  const series = [item.volume_timeseries_30d, item.liquidity_timeseries_30d, item.price_timeseries_30d];
  const [volumePoint, liquidityPoint, price] = series.map((points) => points[position]);
  const isPriced = hour >= firstHour;
  const rates = isPriced ? [priceOf(first, hour), priceOf(second, hour)] : [null, null];
  const unpriced = swapsOf([pair], start, to).length === 0 ? 0 : null;
  expect(volumePoint.volume_quote, `${pair} ${dateOf(start)}`).toBe(isPriced ? dollars(volume(pair, start, to)) : unpriced);
  expect(liquidityPoint.liquidity_quote).toBe(isPriced ? dollars(await liquidity(pair, heightBefore(to), hour)) : null);
  expect([volumePoint.token_0_quote_rate, liquidityPoint.token_1_quote_rate]).toEqual(rates);
  expect([price.price_of_token0_in_quote_currency, price.price_of_token1_in_quote_currency]).toEqual(rates);
};

describe("an exchange without rolled-up hours", () => {
  it("lists pools by address with the same values", async () => {
    const items = await allPages("week/xy=k/swap/pools/", 2);
    expect(items.map((item) => item.exchange)).toEqual([...active(closedEnd())].sort());
    for (const item of items) await expectPool(item, closedEnd());
  });

  it("has swap counts without values", async () => {
    const [item] = (await api.get("week/xy=k/swap/ecosystem/")).items;
    expect(item.total_swaps_24h).toBe(swapsOf(pairs, headTime() + 1 - secondsPerDay, headTime() + 1).length);
    expect([item.total_fees_24h, item.liquidity_chart_7d.at(-1).liquidity_quote]).toEqual([null, null]);
    expect(item.gas_token_price_quote).toBe(priceOf(nativeTokenAddress, Math.floor(headTime() / secondsPerHour)));
  });

  it("is not rolled up before prices are computed", async () => {
    expect(await rollUp(test.database, [exchange.factory])).toBe(0);
  });
});

describe("rolled-up hours", () => {
  it("include the last closed one and the last one of each day with prices", async () => {
    const last = hourOf(closedEnd());
    await finishHours(test.database, firstHour, last, closingBlock);
    // Nine whole days and the last closed hour of the tenth.
    expect(await rollUp(test.database, [exchange.factory])).toBe(10);
    expect(await rollUp(test.database, [exchange.factory])).toBe(0);
    const rows = await test.database.query<{ hour: number; block_number: number }>(
      "SELECT hour, block_number FROM exchange_hours ORDER BY hour",
    );
    const hours = [...Array.from({ length: 9 }, (_, day) => firstHour + day * 24 + 23), last];
    expect(rows).toEqual(hours.map((hour) => ({ hour, block_number: closingBlock(hour) })));
  });

  it("are recomputed, with the same values, after the price settings change", async () => {
    const stored = () => test.database.query("SELECT * FROM exchange_hour_pools ORDER BY hour, rank");
    const before = await stored();
    await test.database.query("INSERT INTO price_settings (chain_id, fingerprint, revision) VALUES (31337, 'others', 0)");
    expect(await rollUp(test.database, [exchange.factory])).toBe(10);
    expect(await stored()).toEqual(before);
  });
});

describe("the list of pools", () => {
  it("is ranked by liquidity, unknown values last, and contains values", async () => {
    const expected = await ranked(closedEnd());
    expect(expected).toHaveLength(5);
    // A drained pool has the value 0, which ranks above unknown.
    expect(expected[2]).toBe(pairs[4]);
    for (const size of [1, 2, 5, 100]) {
      const items = await allPages("week/xy=k/swap/pools/", size);
      expect(items.map((item) => item.exchange)).toEqual(expected);
      for (const item of items) await expectPool(item, closedEnd());
    }
    const [item] = (await api.get("week/xy=k/swap/pools/")).items;
    expect(item.pretty_total_liquidity_quote).toMatch(/^\$[\d,]+\.\d\d[MB]?$/);
  });

  it.each(["pools", "tokens"])("is empty far beyond its end (%s)", async (list) => {
    const { items, pagination } = await api.get(`week/xy=k/swap/${list}/?page-number=2147483647&page-size=1000`);
    expect([items, pagination.has_more]).toEqual([[], false]);
  });

  it("is ranked by the values at the end of a past day", async () => {
    for (const day of [0, 1, 2, 4, 8]) {
      const end = firstDay + (day + 1) * secondsPerDay;
      const { items } = await api.get(`week/xy=k/swap/pools/?date=${dateOf(end - 1)}`);
      expect(
        items.map((item: ResponseData) => item.exchange),
        dateOf(end - 1),
      ).toEqual(await ranked(end));
      for (const item of items) await expectPool(item, end);
    }
  });
});

describe("a pool", () => {
  it("has series of 8 and 31 days, with each day valued at its closing prices", async () => {
    const end = headTime() + 1;
    for (const pair of pairs) {
      const [item] = (await api.get(`week/xy=k/swap/pools/address/${pair}/`)).items;
      await expectPool(item, end);
      const [first = "", second = ""] = sides.get(pair) ?? [];
      const reserves = await reservesAt(pair, head);
      expect([item.token_0_reserve_quote, item.token_1_reserve_quote]).toEqual([
        dollars(exactValue(reserves[0], priced.get(first), hourOf(end))),
        dollars(exactValue(reserves[1], priced.get(second), hourOf(end))),
      ]);
      expect([item.volume_timeseries_7d, item.liquidity_timeseries_7d, item.price_timeseries_7d].map((series) => series.length)).toEqual([
        8, 8, 8,
      ]);
      for (const [position, start] of midnights(end, 31).entries())
        await expectDay(item, position, start, Math.min(start + secondsPerDay, end));
    }
  });

  it("has the same series in the list of a token's pools", async () => {
    const { items } = await api.get(`week/xy=k/swap/tokens/address/${tokens[1]}/`);
    expect(items).toHaveLength(2);
    for (const item of items) expect([item]).toEqual((await api.get(`week/xy=k/swap/pools/address/${item.exchange}/`)).items);
  });

  it("has values in other currencies, and null without an exchange rate", async () => {
    const [end, hour] = [headTime() + 1, hourOf(headTime() + 1)];
    const rate = Number(priced.get(currencyAsset("EUR"))?.cents(hour)) / 100;
    const usd = await api.get(`week/xy=k/tokens/address/${tokens[0]}/pools/page/0/`);
    const eur = await api.get(`week/xy=k/tokens/address/${tokens[0]}/pools/page/0/?quote-currency=eur`);
    expect(eur.quote_currency).toBe("EUR");
    for (const [position, item] of usd.items.entries()) {
      const pair = item.exchange as Address;
      expect([item.total_liquidity_quote, item.volume_24h_quote, item.volume_7d_quote, item.fee_24h_quote]).toEqual([
        dollars(await liquidity(pair, head, hour)),
        dollars(volume(pair, end - secondsPerDay, end)),
        dollars(weekVolume(pair, end)),
        feesOf(volume(pair, end - secondsPerDay, end)),
      ]);
      const other = eur.items[position];
      expect(other.total_liquidity_quote).toBeCloseTo(item.total_liquidity_quote / rate, 6);
      // Each of the seven days is converted at its closing rate.
      const days = Array.from({ length: 7 }, (_, day) => end - day * secondsPerDay).map(
        (to) => (dollars(volume(pair, to - secondsPerDay, to)) ?? 0) / (Number(priced.get(currencyAsset("EUR"))?.cents(hourOf(to))) / 100),
      );
      expect(other.volume_7d_quote).toBeCloseTo(
        days.reduce((sum, value) => sum + value, 0),
        5,
      );
      expect(other.annualized_fee).toBe(item.annualized_fee);
      expect(item.pretty_quote_rate).toBe(
        pair === pairs[0] ? `$${(priceOf(pair, hour) ?? 0).toLocaleString("en-US", { minimumFractionDigits: 2 })}` : null,
      );
    }
    const yen = await api.get(`week/xy=k/tokens/address/${tokens[0]}/pools/page/0/?quote-currency=JPY`);
    expect(yen.items.map((item: ResponseData) => [item.total_liquidity_quote, item.token_0.quote_rate, item.quote_rate])).toEqual(
      yen.items.map(() => [null, null, null]),
    );
  });
});

describe("tokens of an exchange", () => {
  const reserveOf = async (token: Address, height: number): Promise<bigint> => {
    let reserve = 0n;
    for (const pair of pairs) reserve += (await reservesAt(pair, height))[sideOf(pair, token)] ?? 0n;
    return reserve;
  };
  const volumeOf = (token: Address, from: number, to: number): bigint =>
    add(
      pairs.flatMap((pair) => {
        const side = sideOf(pair, token);
        return side < 0
          ? []
          : swapsOf([pair], from, to).flatMap(({ args }) => [args[`amount${side}In`], args[`amount${side}Out`]] as bigint[]);
      }),
    );

  it("are ranked by the value of their reserves, then by address if it is unknown", async () => {
    const [end, hour] = [closedEnd(), hourOf(closedEnd())];
    const values: [Address, bigint][] = [];
    for (const token of tokens.slice(0, 4)) {
      values.push([token, exactValue(await reserveOf(token, heightBefore(end)), priced.get(token), hour) ?? 0n]);
    }
    const expected = [...values.sort(([, left], [, right]) => (left < right ? 1 : -1)).map(([token]) => token), ...tokens.slice(4).sort()];
    for (const size of [1, 4, 5, 100]) {
      const items = await allPages("week/xy=k/swap/tokens/", size);
      expect(items.map((item) => item.contract_address)).toEqual(expected);
      for (const item of items) {
        const token = item.contract_address as Address;
        const [reserve, volume24h] = [await reserveOf(token, heightBefore(end)), volumeOf(token, end - secondsPerDay, end)];
        expect([item.total_liquidity, item.total_volume_24h]).toEqual([String(reserve), String(volume24h)]);
        expect([item.total_liquidity_quote, item.total_volume_24h_quote, item.quote_rate, item.quote_rate_24h]).toEqual([
          dollars(exactValue(reserve, priced.get(token), hour)),
          dollars(exactValue(volume24h, priced.get(token), hour)),
          priceOf(token, hour),
          priceOf(token, hour - 24),
        ]);
      }
    }
  });

  it("have series of 31 days in the requested currency", async () => {
    const [end, gold] = [headTime() + 1, tokens[1]];
    const [item] = (await api.get(`week/xy=k/swap/tokens/address/${gold}/view/?quote-currency=EUR`)).items;
    for (const [position, start] of midnights(end, 31).entries()) {
      const to = Math.min(start + secondsPerDay, end);
      const hour = hourOf(to);
      const price = hour < firstHour ? null : priceOf(gold, hour);
      const euro = price === null ? null : price / (Number(priced.get(currencyAsset("EUR"))?.cents(hour)) / 100);
      const actual = [
        item.price_timeseries_30d[position].quote_rate,
        item.liquidity_timeseries_30d[position].liquidity_quote,
        item.volume_timeseries_30d[position].volume_quote,
      ];
      if (euro === null) expect(actual).toEqual([null, null, null]);
      else {
        const reserve = await reserveOf(gold, heightBefore(to));
        const tokenVolume = volumeOf(gold, start, to);
        for (const [index, amount] of [10n ** 18n, reserve, tokenVolume].entries()) {
          const expected = (Number(amount) / 1e18) * euro;
          expect(Math.abs((actual[index] ?? Number.NaN) - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-12);
        }
      }
      expect(item.price_timeseries_30d[position].quote_currency).toBe("EUR");
    }
    expect(item.quote_rate).toBe(item.price_timeseries_30d[30].quote_rate);
    expect(item.pretty_quote_rate).toMatch(/^€[\d,]+\.\d\d$/);
  });
});

describe("the summary of an exchange", () => {
  it("is as of the last closed hour, values days at their closing prices, and covers pools with known values", async () => {
    const end = closedEnd();
    const [item] = (await api.get("week/xy=k/swap/ecosystem/")).items;
    const sumOf = (values: readonly (bigint | null)[]) => {
      const known = values.filter((value) => value !== null);
      return known.length === 0 ? null : add(known);
    };
    const volumeOfAll = (from: number, to: number): bigint | null =>
      swapsOf(pairs, from, to).length === 0
        ? 0n
        : sumOf(pairs.filter((pair) => swapsOf([pair], from, to).length > 0).map((pair) => volume(pair, from, to)));
    expect(item.total_swaps_24h).toBe(swapsOf(pairs, end - secondsPerDay, end).length);
    expect(item.total_active_pairs_7d).toBe(active(end).length);
    expect(item.total_fees_24h).toBe(feesOf(volumeOfAll(end - secondsPerDay, end)));
    const valued = midnights(end, 31).filter((start) => start >= firstDay);
    expect(valued).toHaveLength(10);
    for (const [position, start] of midnights(end, 31).entries()) {
      const to = Math.min(start + secondsPerDay, end);
      const [volumePoint, liquidityPoint] = [item.volume_chart_30d[position], item.liquidity_chart_30d[position]];
      expect([volumePoint.dt, volumePoint.swap_count_24]).toEqual([
        new Date(start * 1000).toISOString().replace(".000Z", "Z"),
        swapsOf(pairs, start, to).length,
      ]);
      if (start < firstDay) expect([volumePoint.volume_quote, liquidityPoint.liquidity_quote]).toEqual([null, null]);
      else {
        expect(volumePoint.volume_quote, dateOf(start)).toBe(dollars(volumeOfAll(start, to)));
        const values: (bigint | null)[] = [];
        for (const pair of pairs) values.push(await liquidity(pair, heightBefore(to), hourOf(to)));
        expect(liquidityPoint.liquidity_quote).toBe(dollars(sumOf(values)));
      }
    }
    expect([item.volume_chart_7d, item.liquidity_chart_7d]).toEqual([item.volume_chart_30d.slice(-8), item.liquidity_chart_30d.slice(-8)]);
  });

  it("has only swap counts for days that are not rolled up", async () => {
    const day = Math.floor(firstDay / secondsPerDay) + 6;
    const [before] = (await api.get("week/xy=k/swap/ecosystem/")).items;
    await test.database.query("DELETE FROM exchange_hours WHERE hour = $1", [day * 24 + 23]);
    const [item] = (await api.get("week/xy=k/swap/ecosystem/")).items;
    const position = before.volume_chart_30d.findIndex((point: ResponseData) => point.dt.startsWith(dateOf(day * secondsPerDay)));
    expect(before.volume_chart_30d[position].swap_count_24).toBeGreaterThan(0);
    expect(item.volume_chart_30d[position]).toEqual({
      ...before.volume_chart_30d[position],
      volume_quote: null,
      pretty_volume_quote: null,
    });
    expect(await rollUp(test.database, [exchange.factory])).toBe(1);
    expect((await api.get("week/xy=k/swap/ecosystem/")).items).toEqual([before]);
  });
});

describe("shares and actions of wallets", () => {
  it("are valued by the share of the reserves, and the LP token by its price", async () => {
    const hour = Math.floor(headTime() / secondsPerHour);
    const { items } = await api.get(`week/xy=k/swap/address/${people[0]}/balances/`);
    expect(items).toHaveLength(5);
    for (const item of items) {
      const pair = item.pool_token.contract_address as Address;
      const balance = await read<bigint>(chain, uniswap.pair(), pair, "balanceOf", [people[0]], head);
      const supply = await read<bigint>(chain, uniswap.pair(), pair, "totalSupply", [], head);
      const reserves = await reservesAt(pair, head);
      for (const side of [0, 1] as const) {
        const token = sides.get(pair)?.[side] ?? "";
        const share = ((reserves[side] ?? 0n) * balance) / supply;
        const sideItem = side === 0 ? item.token_0 : item.token_1;
        expect([sideItem.quote, sideItem.quote_rate]).toEqual([dollars(exactValue(share, priced.get(token), hour)), priceOf(token, hour)]);
      }
      expect([item.pool_token.quote, item.pool_token.quote_rate]).toEqual([
        dollars(exactValue(balance, priced.get(pair), hour)),
        priceOf(pair, hour),
      ]);
    }
  });

  it("are valued at the prices at the time of their blocks", async () => {
    const items = await allPages("week/xy=k/swap/transactions/", 50);
    const actions = logs.filter(({ name }) => ["Swap", "Mint", "Burn"].includes(name)).reverse();
    expect(items).toHaveLength(actions.length);
    for (const [position, { name, args, address, block, transaction }] of actions.entries()) {
      const item = items[position];
      const hour = Math.floor((times[block] ?? 0) / secondsPerHour);
      const pricedAsset = (asset: string) => (hour < firstHour ? undefined : priced.get(asset));
      const [first, second] = (sides.get(address) ?? []).map(pricedAsset);
      const amountOf = (argument: string) => (args[argument] as bigint | undefined) ?? 0n;
      const swap = () => {
        const [in0, in1] = [exactValue(amountOf("amount0In"), first, hour), exactValue(amountOf("amount1In"), second, hour)];
        if (in0 !== null && in1 !== null) return in0 + in1;
        return in0 === null
          ? exactValue(amountOf("amount1In") + amountOf("amount1Out"), second, hour)
          : exactValue(amountOf("amount0In") + amountOf("amount0Out"), first, hour);
      };
      const change = () => {
        const values = [exactValue(amountOf("amount0"), first, hour), exactValue(amountOf("amount1"), second, hour)];
        return values.some((value) => value === null) ? null : add(values.map((value) => value ?? 0n));
      };
      expect(item.total_quote, `${name} at ${block}`).toBe(dollars(name === "Swap" ? swap() : change()));
      const receipt = await chain.rpc<{ gasUsed: string; effectiveGasPrice: string }>("eth_getTransactionReceipt", [transaction]);
      const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
      expect([item.gas_quote, item.value_quote]).toEqual([
        dollars(exactValue(fee, pricedAsset(nativeTokenAddress), hour)),
        dollars(exactValue(0n, pricedAsset(nativeTokenAddress), hour)),
      ]);
      expect(item.gas_quote_rate).toBe(hour < firstHour ? null : priceOf(nativeTokenAddress, hour));
    }
    expect(items.some((item) => item.total_quote === null) && items.some((item) => item.total_quote > 0)).toBe(true);
  });
});
