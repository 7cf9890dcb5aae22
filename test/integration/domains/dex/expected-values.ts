import { expect } from "vitest";
import { type Address, type Hex, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { concentratedLogs } from "../pools/concentrated-support.ts";
import { type PairLog, pairLogs, readContract, uniswapV2 } from "../pools/support.ts";
import { type Market, type MarketToken, units } from "./market.ts";
import { secondsPerDay, secondsPerHour } from "./support.ts";

const quarter = 900;

/** Expects numbers that differ by no more than rounding errors, or null for null. */
export const expectNearOrNull = (actual: number | null, expected: number | null, label: string): void => {
  if (expected === null || actual === null) expect(actual, label).toBe(expected);
  else expect(Math.abs(actual - expected), `${label}: ${actual} for ${expected}`).toBeLessThanOrEqual(Math.abs(expected) * 1e-11);
};

/** A value and the time from which it holds. */
interface TimedValue {
  readonly since: number;
  readonly value: number;
}

/** The time-weighted median of the 15 minutes before a time. */
const median = (history: readonly TimedValue[], end: number): number | null => {
  const weighted = history
    .map(({ since, value }, position) => {
      const until = Math.min(end, history[position + 1]?.since ?? end);
      return { value, weight: Math.max(0, until - Math.max(since, end - quarter)) };
    })
    .sort((left, right) => left.value - right.value);
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  let passed = 0;
  for (const { value, weight } of weighted) {
    passed += weight;
    if (weight > 0 && passed * 2 >= total) return value;
  }
  return null;
};

/** Expected values, computed from the node's logs and calls up to its head. */
export type ExpectedValues = Awaited<ReturnType<typeof createExpectedValues>>;

export const createExpectedValues = async (market: Market) => {
  const { chain, mainExchange, twinExchange, tokens, concentratedPoolKey, concentratedPool } = market;
  const head = await chain.head();
  const blocks = await chain.batch<{ timestamp: Hex }>(
    Array.from({ length: head + 1 }, (_, height) => ({ method: "eth_getBlockByNumber", params: [`0x${height.toString(16)}`, false] })),
  );
  const times = blocks.map(({ timestamp }) => Number(timestamp));
  const headTime = times[head] ?? 0;
  const toLower = (address: string): Address => address.toLowerCase() as Address;

  const exchanges = new Map<Address, "swap" | "twin">();
  for (const [name, { factory }] of [
    ["swap", mainExchange],
    ["twin", twinExchange],
  ] as const) {
    const count = await readContract<bigint>(chain, uniswapV2.factory(), factory, "allPairsLength", [], head);
    for (let position = 0n; position < count; position += 1n)
      exchanges.set(toLower(await readContract<string>(chain, uniswapV2.factory(), factory, "allPairs", [position], head)), name);
  }
  const pairs = [...exchanges.keys()];
  const logs = await pairLogs(chain, pairs, head);
  const sides = new Map<Address, readonly [Address, Address]>();
  for (const pair of pairs) {
    const token = async (name: string) => toLower(await readContract<string>(chain, uniswapV2.pair(), pair, name, [], head));
    sides.set(pair, [await token("token0"), await token("token1")]);
  }
  const sidesOf = (pair: Address): readonly [Address, Address] => sides.get(pair) ?? [pair, pair];

  const answersOf = async (feed: Address): Promise<TimedValue[]> => {
    const updates = await chain.rpc<{ blockNumber: Hex; topics: Hex[] }[]>("eth_getLogs", [
      { fromBlock: "0x0", toBlock: "latest", address: feed },
    ]);
    return updates.map(({ blockNumber, topics }) => ({
      since: times[Number(blockNumber)] ?? 0,
      value: Number(BigInt(topics[1] ?? "0x0")) / 1e8,
    }));
  };
  const [ether, euros] = await Promise.all([answersOf(market.feeds.ether), answersOf(market.feeds.euro)]);
  const lastBefore = (history: readonly TimedValue[], end: number): number | null =>
    history.findLast(({ since }) => since < end)?.value ?? null;

  /** Smallest units of the known token per smallest unit of the other one, after each block. */
  const ratios = (pair: Address, known: Address): TimedValue[] => {
    const last = new Map<number, number>();
    for (const { name, address, args, block } of logs) {
      if (name !== "Sync" || address !== pair) continue;
      const [first, second] = [Number(args.reserve0), Number(args.reserve1)];
      last.set(times[block] ?? 0, sidesOf(pair)[0] === known ? first / second : second / first);
    }
    return Array.from(last, ([since, value]) => ({ since, value }));
  };
  const rangePrices = new Map<number, number>();
  for (const { args, block } of await concentratedLogs(chain, [concentratedPool], head)) {
    if (args.sqrtPriceX96 === undefined) continue;
    // The second token per unit of the first.
    const price = (Number(args.sqrtPriceX96) / 2 ** 96) ** 2;
    rangePrices.set(times[block] ?? 0, concentratedPoolKey.tokens[0] === tokens.usd ? 1 / price : price);
  }
  const { gold, ticket, saffron, toll } = market.pairs;
  const inDollars = { gold: ratios(gold, tokens.usd), ticket: ratios(ticket, tokens.usd), toll: ratios(toll, tokens.usd) };
  const inGold = ratios(saffron, tokens.gold);
  const silk = Array.from(rangePrices, ([since, value]): TimedValue => ({ since, value }));

  const nameOf = (asset: Address) => Object.entries(tokens).find(([, address]) => address === asset)?.[0] as MarketToken | undefined;
  /** The end of the 15 minutes that determine a price: the end of its hour, or the head in the current hour. */
  const endOf = (time: number): number => Math.min((Math.floor(time / secondsPerHour) + 1) * secondsPerHour, headTime + 1);
  /** Dollars per smallest unit at a time; null if unknown. */
  const rate = (asset: Address, time: number): number | null => {
    const end = endOf(time);
    const dollars = (history: readonly TimedValue[]): number | null => {
      const middle = median(history, end);
      return middle === null ? null : middle / 1e6;
    };
    if (asset === nativeTokenAddress) return (lastBefore(ether, end) ?? Number.NaN) / 1e18;
    const name = nameOf(asset);
    if (name === "usd") return 1e-6;
    if (name === "silk") return dollars(silk);
    if (name === "gold" || name === "ticket" || name === "toll") return dollars(inDollars[name]);
    if (name !== "saffron") return null;
    const [valueInGold, goldRate] = [median(inGold, end), rate(tokens.gold, time)];
    return valueInGold === null || goldRate === null ? null : valueInGold * goldRate;
  };
  const wholeRate = (asset: Address, time: number): number | null => {
    const [unitRate, name] = [rate(asset, time), nameOf(asset)];
    if (unitRate === null) return null;
    return unitRate * (asset === nativeTokenAddress ? 1e18 : Number(name === undefined ? 1n : units[name]));
  };

  const swapsOf = (pair: Address, from: number, to: number): PairLog[] =>
    logs.filter(
      ({ name, address, block }) => name === "Swap" && address === pair && (times[block] ?? 0) >= from && (times[block] ?? 0) < to,
    );
  const sum = (swaps: readonly PairLog[], argument: string): bigint =>
    swaps.reduce((total, { args }) => total + ((args[argument] as bigint | undefined) ?? 0n), 0n);
  /** The value of the amounts in at the closing prices; if one price is unknown, the value of the other token's amounts in and out. */
  const volume = (pair: Address, from: number, to: number): number | null => {
    const swaps = swapsOf(pair, from, to);
    if (swaps.length === 0) return 0;
    const [first, second] = sidesOf(pair).map((token) => rate(token, to - 1));
    const amountOf = (argument: string): number => Number(sum(swaps, argument));
    if (first != null && second != null) return amountOf("amount0In") * first + amountOf("amount1In") * second;
    if (first != null) return (amountOf("amount0In") + amountOf("amount0Out")) * first;
    return second == null ? null : (amountOf("amount1In") + amountOf("amount1Out")) * second;
  };
  const heightBefore = (time: number): number => times.filter((blockTime) => blockTime < time).length - 1;
  const poolAt = async (pair: Address, height: number) => {
    const [first, second] = await readContract<readonly [bigint, bigint, number]>(chain, uniswapV2.pair(), pair, "getReserves", [], height);
    return {
      reserves: [first, second] as const,
      supply: await readContract<bigint>(chain, uniswapV2.pair(), pair, "totalSupply", [], height),
    };
  };

  return {
    head,
    headTime,
    pairs,
    exchangeOf: (pair: Address) => exchanges.get(pair) ?? "swap",
    heightBefore,
    poolAt,
    sharesOf: (pair: Address, owner: Address) => readContract<bigint>(chain, uniswapV2.pair(), pair, "balanceOf", [owner], head),
    swapsOf,
    sum,
    rate,
    wholeRate,
    volume,
    weekVolume: (pair: Address, end: number): number | null => {
      const days = Array.from({ length: 7 }, (_, day) => volume(pair, end - (day + 1) * secondsPerDay, end - day * secondsPerDay));
      return days.reduce((total, day) => (total === null || day === null ? null : total + day), 0);
    },
    liquidity: (pair: Address, [reserve0, reserve1]: readonly bigint[], time: number): number | null => {
      const [first, second] = sidesOf(pair).map((token) => rate(token, time));
      return first == null || second == null ? null : Number(reserve0) * first + Number(reserve1) * second;
    },
    /**
     * Dollars per whole share: the median over the 15 minutes of twice the square root of the product of both sides' values, divided by the
     * supply; null if each side of the pool was worth less than 10,000 dollars.
     */
    shareRate: async (pair: Address, time: number): Promise<number | null> => {
      const end = endOf(time);
      const [first, second] = sidesOf(pair).map((token) => rate(token, time));
      if (first == null || second == null) return null;
      const heights = [...new Set(logs.filter(({ address }) => address === pair).map(({ block }) => block))];
      const states = await Promise.all(heights.map(async (height) => ({ since: times[height] ?? 0, ...(await poolAt(pair, height)) })));
      const middle = (value: (state: (typeof states)[number]) => number): number =>
        median([{ since: 0, value: 0 }, ...states.map((state) => ({ since: state.since, value: value(state) }))], end) ?? 0;
      if (
        middle(({ reserves: [reserve] }) => Number(reserve)) * first < 10_000 &&
        middle(({ reserves: [, reserve] }) => Number(reserve)) * second < 10_000
      )
        return null;
      const share = middle(({ reserves: [left, right], supply }) => Math.sqrt(Number(left) * Number(right)) / Number(supply));
      return 2 * share * Math.sqrt(first * second) * 1e18;
    },
    value: (amount: bigint, price: number | null, decimals = 0): number | null =>
      price === null ? null : (Number(amount) * price) / 10 ** decimals,
    /** Dollars per euro. */
    euro: (time: number): number => lastBefore(euros, endOf(time)) ?? Number.NaN,
  };
};
