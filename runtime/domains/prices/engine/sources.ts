import type { PricesConfig } from "../../../config/prices.ts";
import { type Decimal, multiply, parseDecimal, shift, truncate } from "../../../lib/decimal.ts";
import { type Address, nativeTokenAddress } from "../../../lib/hex.ts";
import { type Asset, createPriceAddressOf, isCurrencyAsset } from "./assets.ts";
import { createCurrencyRates } from "./currency-rates.ts";
import { createFeedAnswers, type Feed } from "./feeds.ts";
import type { FeedObservation, FileObservation } from "./observations.ts";

/** The configuration of a chain's price model. */
export interface PriceSettings {
  readonly prices: PricesConfig;
  readonly wrappedNative: readonly Address[];
  /** The decimals of a token; null if they are unknown. */
  readonly decimalsOf: (token: Address) => number | null;
}

type Source = PricesConfig["sources"][number];

/** Prices from feeds, from the operator's imported prices and from the currencies of stablecoins. */
export interface TokenSources {
  observe(observation: FeedObservation | FileObservation): void;
  /** The price of a token from one source, in US dollars per smallest unit. */
  rate(source: Exclude<Source, "pools">, token: Address, time: number): Decimal | null;
  /** US dollars for one unit of each currency with a rate. */
  currencyRates(time: number): Map<Asset, Decimal>;
  /** Tokens that any of these sources may price. */
  readonly tokens: ReadonlySet<Address>;
  /** The tokens that pool paths may start from: stablecoins, tokens with a feed and the native token. */
  readonly anchors: ReadonlySet<Address>;
  isStablecoin(token: Address): boolean;
  /** The first time after `time` at which a feed's latest answer becomes too old. */
  nextExpiry(time: number): number;
}

/** A chain's price sources other than pools. */
export function createTokenSources({ prices, wrappedNative, decimalsOf }: PriceSettings): TokenSources {
  const priceAddressOf = createPriceAddressOf(wrappedNative);
  const feeds = feedsOfTokens(prices.feeds, priceAddressOf);
  const coins = prices.stablecoins.map(({ token, currency }) => ({ token: priceAddressOf(token), currency }));
  const tokens = new Set<Address>([...feeds, ...coins].map(({ token }) => token));
  const anchors = new Set([...tokens, nativeTokenAddress]);
  const answers = createFeedAnswers(prices.feeds);
  const imported = new Map<Asset, Decimal | null>();
  const currencies = createCurrencyRates(prices, answers, imported);

  /** Converts a price per whole token to a price per smallest unit. */
  const perSmallestUnit = (token: Address, wholePrice: Decimal | null): Decimal | null => {
    const decimals = decimalsOf(token);
    return wholePrice === null || decimals === null ? null : truncate(shift(wholePrice, -decimals));
  };
  const byFeeds = (token: Address, time: number): Decimal | null => {
    for (const { token: priced, feed } of feeds) {
      if (priced !== token) continue;
      const [answer, currency] = [answers.latest(feed, time), currencies.rate(feed.in, time)];
      if (answer !== null && currency !== null) return perSmallestUnit(token, multiply(answer, currency));
    }
    return null;
  };

  return {
    tokens,
    anchors,
    isStablecoin: (token) => coins.some((coin) => coin.token === token),
    observe: (observation) => {
      if (observation.kind === "feed") return answers.observe(observation);
      const isCurrency = isCurrencyAsset(observation.asset);
      const asset = isCurrency ? observation.asset : priceAddressOf(observation.asset);
      imported.set(asset, observation.price === null ? null : parseDecimal(observation.price));
      if (!isCurrency) tokens.add(asset);
    },
    rate: (source, token, time) => {
      if (source === "feeds") return byFeeds(token, time);
      if (source === "file") return perSmallestUnit(token, imported.get(token) ?? null);
      const coin = coins.find((candidate) => candidate.token === token);
      return coin === undefined ? null : perSmallestUnit(token, currencies.rate(coin.currency, time));
    },
    currencyRates: currencies.all,
    nextExpiry: answers.nextExpiry,
  };
}

/** The feeds with a token as subject. */
const feedsOfTokens = (feeds: readonly Feed[], priceAddressOf: (token: Address) => Address): { token: Address; feed: Feed }[] =>
  feeds.flatMap((feed) => {
    if (feed.of === "native") return [{ token: nativeTokenAddress, feed }];
    return feed.of.startsWith("0x") ? [{ token: priceAddressOf(feed.of as Address), feed }] : [];
  });
