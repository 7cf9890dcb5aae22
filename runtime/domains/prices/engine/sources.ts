import type { PricesConfig } from "../../../config/config.ts";
import { cut, type Decimal, decimal, decimalOf, multiply, shift } from "../../../lib/decimal.ts";
import { type Address, nativeTokenAddress } from "../../../lib/hex.ts";
import { type Asset, currencyAsset } from "./assets.ts";
import type { FeedObservation, FileObservation } from "./observations.ts";

/** What the making of prices is told of a chain. */
export interface PriceSettings {
  readonly prices: PricesConfig;
  readonly wrappedNative: readonly Address[];
  /** The power of ten between a token's smallest unit and a whole one; null where it is not known. */
  readonly decimalsOf: (token: Address) => number | null;
}

type Feed = PricesConfig["feeds"][number];
type Source = PricesConfig["sources"][number];
const dollar = decimal(1n);

/** What is known without pools: by feeds, by the file, of stablecoins. */
export interface TokenSources {
  tell(word: FeedObservation | FileObservation): void;
  /** The price of a token by one source; US dollars for one smallest unit. */
  rate(source: Exclude<Source, "pools">, token: Address, time: number): Decimal | null;
  /** US dollars for one unit of each currency that has a rate. */
  currencies(time: number): Map<Asset, Decimal>;
  /** Tokens that any of these sources may price. */
  readonly tokens: ReadonlySet<Address>;
  /** The tokens that paths of pools may end at: stablecoins, those with a feed, the native one. */
  readonly anchors: ReadonlySet<Address>;
  isStablecoin(token: Address): boolean;
  /** The first time after the given one at which a feed's last answer is too old. */
  nextExpiry(time: number): number;
}

/** The address that a token's price is kept under: a wrapped native token is worth what the native one is. */
export const canonicalIn =
  (wrappedNative: readonly Address[]) =>
  (token: Address): Address =>
    wrappedNative.includes(token) ? nativeTokenAddress : token;

/** Prices by what feeds and the operator's file said, and of stablecoins. */
export function createTokenSources({ prices, wrappedNative, decimalsOf }: PriceSettings): TokenSources {
  const canonical = canonicalIn(wrappedNative);
  const tokenOf = ({ of }: Feed): Address | null =>
    of === "native" ? nativeTokenAddress : of.startsWith("0x") ? canonical(of as Address) : null;
  const answers = new Map<Address, FeedObservation>();
  const file = new Map<Asset, Decimal | null>();
  const tokens = new Set<Address>();
  const feedsOfToken = prices.feeds.flatMap((feed) => {
    const token = tokenOf(feed);
    return token === null ? [] : [{ token, feed }];
  });
  const coins = prices.stablecoins.map(({ token, currency }) => ({ token: canonical(token), currency }));
  for (const { token } of [...feedsOfToken, ...coins]) tokens.add(token);
  const anchors = new Set([...tokens, nativeTokenAddress]);

  /** One unit of what a feed is of, in the currency of its answers. */
  const answerOf = ({ aggregators, decimals, maxAgeSeconds }: Feed, time: number): Decimal | null => {
    const words = aggregators.flatMap((aggregator) => answers.get(aggregator) ?? []);
    const newest = words.reduce<FeedObservation | null>((best, word) => (best === null || word.time >= best.time ? word : best), null);
    if (newest === null || newest.answer <= 0n || time - newest.time > maxAgeSeconds) return null;
    return decimal(newest.answer, decimals);
  };
  const currency = (code: Feed["in"], time: number): Decimal | null => {
    if (code === "USD") return dollar;
    for (const source of prices.sources) {
      const found = source === "feeds" ? currencyByFeeds(code, time) : source === "file" ? (file.get(currencyAsset(code)) ?? null) : null;
      if (found !== null) return found;
    }
    return null;
  };
  const currencyByFeeds = (code: Feed["in"], time: number): Decimal | null => {
    // Only feeds in dollars: a chain of currencies could lead in a circle.
    for (const feed of prices.feeds) {
      const answer = feed.of === code && feed.in === "USD" ? answerOf(feed, time) : null;
      if (answer !== null) return answer;
    }
    return null;
  };
  /** The price of a whole unit, each of one smallest one. */
  const ofSmallest = (token: Address, whole: Decimal | null): Decimal | null => {
    const decimals = decimalsOf(token);
    return whole === null || decimals === null ? null : cut(shift(whole, -decimals));
  };
  const inDollars = (amount: Decimal | null, code: Feed["in"], time: number): Decimal | null => {
    const rate = currency(code, time);
    return amount === null || rate === null ? null : multiply(amount, rate);
  };
  const byFeeds = (token: Address, time: number): Decimal | null => {
    for (const { token: priced, feed } of feedsOfToken) {
      const rate = priced === token ? inDollars(answerOf(feed, time), feed.in, time) : null;
      if (rate !== null) return ofSmallest(token, rate);
    }
    return null;
  };

  return {
    tokens,
    anchors,
    isStablecoin: (token) => coins.some((coin) => coin.token === token),
    tell: (word) => {
      if (word.kind === "feed") answers.set(word.feed, word);
      else {
        const isCurrency = word.asset.length === 8;
        const asset = isCurrency ? word.asset : canonical(word.asset);
        file.set(asset, word.price === null ? null : decimalOf(word.price));
        if (!isCurrency) tokens.add(asset);
      }
    },
    rate: (source, token, time) => {
      if (source === "feeds") return byFeeds(token, time);
      if (source === "file") return ofSmallest(token, file.get(token) ?? null);
      const coin = coins.find((candidate) => candidate.token === token);
      return coin === undefined ? null : ofSmallest(token, currency(coin.currency, time));
    },
    currencies: (time) => {
      const told = new Set<Asset>([
        ...prices.feeds.flatMap(({ of }) => (of === "native" || of.startsWith("0x") ? [] : [currencyAsset(of as Feed["in"])])),
        ...[...file.keys()].filter((asset) => asset.length === 8),
      ]);
      const rates = new Map<Asset, Decimal>();
      for (const asset of told) {
        const rate = currency(Buffer.from(asset.slice(2), "hex").toString("ascii") as Feed["in"], time);
        if (rate !== null) rates.set(asset, cut(rate));
      }
      return rates;
    },
    nextExpiry: (time) => {
      const ends = prices.feeds.flatMap(({ aggregators, maxAgeSeconds }) =>
        aggregators.flatMap((aggregator) => {
          const word = answers.get(aggregator);
          return word === undefined ? [] : [word.time + maxAgeSeconds + 1];
        }),
      );
      return Math.min(...ends.filter((end) => end > time), Number.POSITIVE_INFINITY);
    },
  };
}
