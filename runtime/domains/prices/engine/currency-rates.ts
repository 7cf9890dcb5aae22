import type { Currency } from "../../../../generated/requests.gen.ts";
import type { PricesConfig } from "../../../config/prices.ts";
import { type Decimal, decimal, truncate } from "../../../lib/decimal.ts";
import { type Asset, currencyAsset, currencyOfAsset, isCurrencyAsset } from "./assets.ts";
import type { FeedAnswers } from "./feeds.ts";

const dollar = decimal(1n);

/** US dollars for one unit of a currency. */
export interface CurrencyRates {
  /** The rate from the first source that has one. */
  rate(currency: Currency, time: number): Decimal | null;
  /** The rates of all currencies that have one. */
  all(time: number): Map<Asset, Decimal>;
}

/** Currency rates from feeds and from the operator's imported prices. */
export function createCurrencyRates(
  { feeds, sources }: Pick<PricesConfig, "feeds" | "sources">,
  answers: Pick<FeedAnswers, "latest">,
  imported: ReadonlyMap<Asset, Decimal | null>,
): CurrencyRates {
  const byFeeds = (currency: Currency, time: number): Decimal | null => {
    // Only feeds in US dollars are used: following feeds in other currencies could loop.
    for (const feed of feeds) {
      const answer = feed.of === currency && feed.in === "USD" ? answers.latest(feed, time) : null;
      if (answer !== null) return answer;
    }
    return null;
  };
  const rate: CurrencyRates["rate"] = (currency, time) => {
    if (currency === "USD") return dollar;
    for (const source of sources) {
      const sourceRate =
        source === "feeds" ? byFeeds(currency, time) : source === "file" ? (imported.get(currencyAsset(currency)) ?? null) : null;
      if (sourceRate !== null) return sourceRate;
    }
    return null;
  };
  return {
    rate,
    all: (time) => {
      const assets = new Set<Asset>([
        ...feeds.flatMap(({ of }) => (of === "native" || of.startsWith("0x") ? [] : [currencyAsset(of as Currency)])),
        ...[...imported.keys()].filter(isCurrencyAsset),
      ]);
      const rates = new Map<Asset, Decimal>();
      for (const asset of assets) {
        const assetRate = rate(currencyOfAsset(asset), time);
        if (assetRate !== null) rates.set(asset, truncate(assetRate));
      }
      return rates;
    },
  };
}
