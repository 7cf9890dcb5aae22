import { expect } from "vitest";
import { type Address, type Hex, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { concentratedLogs } from "../pools/concentrated-support.ts";
import { type PairLog, pairLogs, read, uniswap } from "../pools/support.ts";
import { type Market, type MarketToken, units } from "./market.ts";
import { secondsPerDay, secondsPerHour } from "./support.ts";

const quarter = 900;

/** Expects the same number within floating-point error, or null. */
export const near = (actual: number | null, expected: number | null, what: string): void => {
  if (expected === null || actual === null) expect(actual, what).toBe(expected);
  else expect(Math.abs(actual - expected), `${what}: ${actual} for ${expected}`).toBeLessThanOrEqual(Math.abs(expected) * 1e-11);
};

/** A value since a time. */
interface TimedValue {
  readonly since: number;
  readonly value: number;
}

/** The median value by duration of the 15 minutes up to a time. */
const median = (standings: readonly TimedValue[], end: number): number | null => {
  const weighted = standings
    .map(({ since, value }, position) => {
      const until = Math.min(end, standings[position + 1]?.since ?? end);
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
  const { chain, swap, twin, tokens, range, rangePool } = market;
  const head = await chain.head();
  const blocks = await chain.batch<{ timestamp: Hex }>(
    Array.from({ length: head + 1 }, (_, height) => ({ method: "eth_getBlockByNumber", params: [`0x${height.toString(16)}`, false] })),
  );
  const times = blocks.map(({ timestamp }) => Number(timestamp));
  const headTime = times[head] ?? 0;
  const lower = (address: string): Address => address.toLowerCase() as Address;

  const exchanges = new Map<Address, "swap" | "twin">();
  for (const [name, { factory }] of [
    ["swap", swap],
    ["twin", twin],
  ] as const) {
    const count = await read<bigint>(chain, uniswap.factory(), factory, "allPairsLength", [], head);
    for (let position = 0n; position < count; position += 1n)
      exchanges.set(lower(await read<string>(chain, uniswap.factory(), factory, "allPairs", [position], head)), name);
  }
  const pairs = [...exchanges.keys()];
  const logs = await pairLogs(chain, pairs, head);
  const sides = new Map<Address, readonly [Address, Address]>();
  for (const pair of pairs) {
    const token = async (name: string) => lower(await read<string>(chain, uniswap.pair(), pair, name, [], head));
    sides.set(pair, [await token("token0"), await token("token1")]);
  }
  const sidesOf = (pair: Address): readonly [Address, Address] => sides.get(pair) ?? [pair, pair];

  const answers = async (feed: Address): Promise<TimedValue[]> => {
    const found = await chain.rpc<{ blockNumber: Hex; topics: Hex[] }[]>("eth_getLogs", [
      { fromBlock: "0x0", toBlock: "latest", address: feed },
    ]);
    return found.map(({ blockNumber, topics }) => ({
      since: times[Number(blockNumber)] ?? 0,
      value: Number(BigInt(topics[1] ?? "0x0")) / 1e8,
    }));
  };
  const [ether, euros] = await Promise.all([answers(market.feeds.ether), answers(market.feeds.euro)]);
  const lastBefore = (standings: readonly TimedValue[], end: number): number | null =>
    standings.findLast(({ since }) => since < end)?.value ?? null;

  /** Smallest units of the priced token per unit of the other, after each block. */
  const ratios = (pair: Address, known: Address): TimedValue[] => {
    const last = new Map<number, number>();
    for (const { name, address, args, block } of logs) {
      if (name !== "Sync" || address !== pair) continue;
      const [first, second] = [Number(args.reserve0), Number(args.reserve1)];
      last.set(times[block] ?? 0, sidesOf(pair)[0] === known ? first / second : second / first);
    }
    return Array.from(last, ([since, value]) => ({ since, value }));
  };
  const ranged = new Map<number, number>();
  for (const { args, block } of await concentratedLogs(chain, [rangePool], head)) {
    if (args.sqrtPriceX96 === undefined) continue;
    // The second token per unit of the first.
    const price = (Number(args.sqrtPriceX96) / 2 ** 96) ** 2;
    ranged.set(times[block] ?? 0, range.tokens[0] === tokens.usd ? 1 / price : price);
  }
  const { gold, ticket, saffron, toll } = market.pairs;
  const inDollars = { gold: ratios(gold, tokens.usd), ticket: ratios(ticket, tokens.usd), toll: ratios(toll, tokens.usd) };
  const inGold = ratios(saffron, tokens.gold);
  const silk = Array.from(ranged, ([since, value]): TimedValue => ({ since, value }));

  const nameOf = (asset: Address) => Object.entries(tokens).find(([, address]) => address === asset)?.[0] as MarketToken | undefined;
  /** The end of the 15 minutes that determine a price: the end of its hour, or the head during the current hour. */
  const endOf = (time: number): number => Math.min((Math.floor(time / secondsPerHour) + 1) * secondsPerHour, headTime + 1);
  /** Dollars per smallest unit at a time; null if unknown. */
  const rate = (asset: Address, time: number): number | null => {
    const end = endOf(time);
    const dollars = (standings: readonly TimedValue[]): number | null => {
      const middle = median(standings, end);
      return middle === null ? null : middle / 1e6;
    };
    if (asset === nativeTokenAddress) return (lastBefore(ether, end) ?? Number.NaN) / 1e18;
    const name = nameOf(asset);
    if (name === "usd") return 1e-6;
    if (name === "silk") return dollars(silk);
    if (name === "gold" || name === "ticket" || name === "toll") return dollars(inDollars[name]);
    if (name !== "saffron") return null;
    const [golds, one] = [median(inGold, end), rate(tokens.gold, time)];
    return golds === null || one === null ? null : golds * one;
  };
  const wholeRate = (asset: Address, time: number): number | null => {
    const [one, name] = [rate(asset, time), nameOf(asset)];
    if (one === null) return null;
    return one * (asset === nativeTokenAddress ? 1e18 : Number(name === undefined ? 1n : units[name]));
  };

  const swapsOf = (pair: Address, from: number, to: number): PairLog[] =>
    logs.filter(
      ({ name, address, block }) => name === "Swap" && address === pair && (times[block] ?? 0) >= from && (times[block] ?? 0) < to,
    );
  const sum = (found: readonly PairLog[], argument: string): bigint =>
    found.reduce((total, { args }) => total + ((args[argument] as bigint | undefined) ?? 0n), 0n);
  /** The volume in at the closing prices; if one is unknown, in and out of the other token. */
  const volume = (pair: Address, from: number, to: number): number | null => {
    const swaps = swapsOf(pair, from, to);
    if (swaps.length === 0) return 0;
    const [first, second] = sidesOf(pair).map((token) => rate(token, to - 1));
    const of = (argument: string): number => Number(sum(swaps, argument));
    if (first != null && second != null) return of("amount0In") * first + of("amount1In") * second;
    if (first != null) return (of("amount0In") + of("amount0Out")) * first;
    return second == null ? null : (of("amount1In") + of("amount1Out")) * second;
  };
  const heightBefore = (time: number): number => times.filter((each) => each < time).length - 1;
  const poolAt = async (pair: Address, height: number) => {
    const [first, second] = await read<readonly [bigint, bigint, number]>(chain, uniswap.pair(), pair, "getReserves", [], height);
    return { reserves: [first, second] as const, supply: await read<bigint>(chain, uniswap.pair(), pair, "totalSupply", [], height) };
  };

  return {
    head,
    headTime,
    pairs,
    exchangeOf: (pair: Address) => exchanges.get(pair) ?? "swap",
    heightBefore,
    poolAt,
    sharesOf: (pair: Address, owner: Address) => read<bigint>(chain, uniswap.pair(), pair, "balanceOf", [owner], head),
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
     * Dollars per whole share: twice the root of the product of both sides' values, divided by the supply, as the median of the 15 minutes; null for a pool
     * that held less than the floor on both sides.
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
        middle(({ reserves: [held] }) => Number(held)) * first < 10_000 &&
        middle(({ reserves: [, held] }) => Number(held)) * second < 10_000
      )
        return null;
      const share = middle(({ reserves: [left, right], supply }) => Math.sqrt(Number(left) * Number(right)) / Number(supply));
      return 2 * share * Math.sqrt(first * second) * 1e18;
    },
    value: (amount: bigint, one: number | null, decimals = 0): number | null =>
      one === null ? null : (Number(amount) * one) / 10 ** decimals,
    /** Dollars per euro. */
    euro: (time: number): number => lastBefore(euros, endOf(time)) ?? Number.NaN,
  };
};
