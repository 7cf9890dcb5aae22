import type { Address } from "../../runtime/lib/hex.ts";
import { createRandom, hexOf } from "../support/random.ts";

/** The parameters that determine a generated market. */
export interface MarketSize {
  readonly seed: number;
  /** Swaps of all pools together; a transaction has one or two. */
  readonly swaps: number;
  readonly pools: number;
  /** The time of the newest block (Unix seconds). */
  readonly until: number;
}

export interface MarketToken {
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
  /** The approximate price of one whole token. */
  readonly dollars: number;
}

export interface MarketExchange {
  readonly name: string;
  readonly family: "xy=k" | "concentrated";
  readonly factory: Address;
  readonly router: Address;
}

/** The initial state of a pool. Pools with lower numbers have more swaps. */
export interface MarketPool {
  readonly number: number;
  readonly address: Address;
  readonly exchange: MarketExchange;
  /** Ordered by address, as in a pool. */
  readonly tokens: readonly [MarketToken, MarketToken];
  /** The deposit of its first provider, in smallest units. */
  readonly reserves: readonly [bigint, bigint];
  readonly provider: Address;
}

/** The accounts and contracts of a generated market. */
export interface Market {
  readonly exchanges: readonly MarketExchange[];
  /** The wrapped native token, two stablecoins and another common pool token come first. */
  readonly tokens: readonly MarketToken[];
  readonly pools: readonly MarketPool[];
  /** The number of blocks; pools are created in the first tenth of them. */
  readonly blockCount: number;
  readonly traderCount: number;
  /** Sends every twentieth transaction. */
  readonly bot: Address;
  /** Holds LP tokens of 200 pools, or of all pools if there are fewer. */
  readonly whale: Address;
  readonly feeds: { readonly native: Address; readonly euro: Address };
}

/** The days that a market covers. */
export const marketDays = 60;
const secondsPerDay = 86_400;
const whalePoolCount = 200;
const swapsPerBlock = 7;
const minBlocks = marketDays * 24 * 4;
const providerCount = 3_000;
/** The first pool's initial deposit of each token, in dollars; deposits fall with the pool's number. */
const largestDeposit = 30_000_000;

const kinds = { token: 21, exchange: 22, pool: 23, person: 24, feed: 25, provider: 26 } as const;

/** A wallet that trades. */
export const traderOf = (number: number): Address => hexOf(kinds.person, number + 10, 5);
/** A liquidity provider. */
export const providerOf = (number: number): Address => hexOf(kinds.provider, number % providerCount, 5);

const exchanges: readonly MarketExchange[] = (
  [
    ["harbor", "xy=k"],
    ["lighthouse", "xy=k"],
    ["jetty", "xy=k"],
    ["narrows", "concentrated"],
  ] as const
).map(([name, family], number) => ({
  name,
  family,
  factory: hexOf(kinds.exchange, 2 * number, 5),
  router: hexOf(kinds.exchange, 2 * number + 1, 5),
}));

/** Returns the exchange of a pool by the pool's number modulo 20: the first exchange has half of the pools, the concentrated one a twentieth. */
const exchangeOf = (number: number): MarketExchange => {
  const share = number % 20;
  const position = share < 10 ? 0 : share < 16 ? 1 : share < 19 ? 2 : 3;
  return exchanges[position] as MarketExchange;
};

/** Generates the market of the given size. */
export function marketOf({ seed, swaps, pools }: MarketSize): Market {
  const random = createRandom(seed);
  const whale = hexOf(kinds.person, 1, 5);
  const tokens = tokensFor(Math.ceil(pools / 2) + 4, random);
  return {
    exchanges,
    tokens,
    pools: poolsWith(pools, tokens, whale),
    blockCount: Math.min(marketDays * 7_200, Math.max(minBlocks, Math.ceil(swaps / swapsPerBlock))),
    traderCount: Math.max(10, Math.floor(swaps / 50)),
    bot: hexOf(kinds.person, 0, 5),
    whale,
    feeds: { native: hexOf(kinds.feed, 0, 5), euro: hexOf(kinds.feed, 1, 5) },
  };
}

/** The time of a block (Unix seconds); blocks are evenly spaced over the days of the market. */
export const timeOfBlock = ({ blockCount }: Pick<Market, "blockCount">, until: number, number: number): number =>
  until - Math.floor(((blockCount - 1 - number) * marketDays * secondsPerDay) / blockCount);

function tokensFor(count: number, random: () => number): MarketToken[] {
  const hubs = [
    { symbol: "WETH", decimals: 18, dollars: 2_500 },
    { symbol: "USDX", decimals: 6, dollars: 1 },
    { symbol: "EURX", decimals: 6, dollars: 1.08 },
    { symbol: "HARB", decimals: 18, dollars: 12 },
  ];
  return Array.from({ length: count }, (_, number) => {
    const decimals = [18, 18, 18, 18, 6, 18, 8, 18, 18, 9, 18, 18, 0][number % 13] ?? 18;
    // Prices range from a hundredth of a cent to 100 dollars. A token without decimals must be cheap: otherwise a pool would hold too few units.
    const dollars = 10 ** (random() * (decimals === 0 ? 2 : 6) - 4);
    return { address: hexOf(kinds.token, number, 5), ...(hubs[number] ?? { symbol: `T${number}`, decimals, dollars }) };
  });
}

function poolsWith(count: number, tokens: readonly MarketToken[], whale: Address): MarketPool[] {
  const firstPairs = [
    [0, 1],
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 2],
    [1, 3],
  ];
  const usedPairs = new Set<string>();
  const whaleInterval = Math.max(1, Math.floor(count / whalePoolCount));
  return Array.from({ length: count }, (_, number) => {
    const exchange = exchangeOf(number);
    const isUsed = (pair: readonly number[]): boolean => usedPairs.has(`${exchange.name} ${pair.join(" ")}`);
    const hub = [0, 0, 0, 1, 0, 0, 0, 1, 0, 3][Math.floor(number / 20) % 10] ?? 0;
    let pair = firstPairs[number];
    for (let other = number; pair === undefined || isUsed(pair); other += 1) pair = [hub, 4 + (other % (tokens.length - 4))];
    usedPairs.add(`${exchange.name} ${pair.join(" ")}`);
    const sides = pair.map((token) => tokens[token] as MarketToken).sort((left, right) => (left.address < right.address ? -1 : 1));
    const dollars = largestDeposit / (number + 1);
    const reserves = sides.map((token) => BigInt(Math.floor((dollars / token.dollars) * 10 ** token.decimals)));
    return {
      number,
      address: hexOf(kinds.pool, number, 5),
      exchange,
      tokens: [sides[0] as MarketToken, sides[1] as MarketToken],
      reserves: [reserves[0] as bigint, reserves[1] as bigint],
      provider: number % whaleInterval === 0 && number / whaleInterval < whalePoolCount ? whale : providerOf(number),
    };
  });
}
