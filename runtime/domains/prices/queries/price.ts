import type { Currency } from "../../../../generated/requests.gen.ts";
import { bytesArray } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { type IndexCache, noIndexCache } from "../../../database/index-cache.ts";
import { plannedOnce, sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import { mapInTurns } from "../../../lib/turns.ts";
import { createOwnedTokenRateQueries } from "./owned-token-rates.ts";
import { createProgressQueries } from "./progress.ts";
import {
  type CandleTable,
  type ChainOfCurrency,
  type ClosingPriceQueries,
  convert,
  createClosingPriceQueries,
  dailyCandles,
  hourlyCandles,
  hourOf,
  type Rate,
  type RemoteClosingPrices,
} from "./rates.ts";
import { createWalletQueries } from "./wallet.ts";

/** A token at a time (unix seconds). */
export interface PriceLookup {
  readonly asset: Address;
  readonly time: number;
}

/** All price queries. */
export type PriceQueries = ReturnType<typeof createPriceQueries>;

/** Price queries; `cache` may cache prices and the progress of their computation. */
export function createPriceQueries(
  queryable: Queryable,
  chainOfCurrency: ChainOfCurrency,
  cache: IndexCache = noIndexCache,
  remoteClosingPrices?: RemoteClosingPrices,
) {
  const closingPriceQueries = createClosingPriceQueries(queryable, chainOfCurrency, cache, remoteClosingPrices);
  return {
    /** The closing prices in US dollars, in the order of the lookups. Served by the primary keys, one probe per lookup. */
    closingPrices: closingPriceQueries.closingPrices,
    ...createRateQueries(queryable, closingPriceQueries, cache),
    ...createOwnedTokenRateQueries(queryable, closingPriceQueries),
    ...createWalletQueries(queryable, closingPriceQueries),
    ...createProgressQueries(queryable),
  };
}

/** Max cached assets per chain, with or without a price, about 10 MB. */
const maxCached = 50_000;

/** Served by the primary key. */
const selectPriced = plannedOnce(sql`SELECT asset FROM priced_assets WHERE chain_id = $1 AND asset = ANY ($2::bytea[])`);

function createRateQueries({ query }: Queryable, { closingPrices, currencyRates }: ClosingPriceQueries, cache: IndexCache) {
  /** The assets that ever had a price. A transaction that writes to priced_assets writes to price_hours, too, which notifies. */
  const lookUpPriced = cache.lookups("price_hours")<Address>(async (chainId, assets) => {
    const rows = await query<{ asset: Address }>(selectPriced, [chainId, bytesArray(assets)]);
    return new Map(rows.map(({ asset }) => [asset, asset]));
  }, maxCached);

  const closesIn = async (
    chainId: number,
    currency: Currency,
    spans: CandleTable,
    lookups: readonly { asset: Address; span: number }[],
  ): Promise<Rate[]> => {
    const spanNumbers = lookups.map(({ span }) => span);
    const [rates, currencies] = await Promise.all([
      closingPrices(chainId, spans, lookups),
      currencyRates(chainId, currency, spans, spanNumbers),
    ]);
    if (currencies === null) return rates;
    // In turns, because divisions to 40 digits are slow.
    return mapInTurns(rates, (rate, position) => convert(rate, currencies.get(lookups[position]?.span ?? -1) ?? null));
  };

  /**
   * Each lookup's rate at the end of its hour, or the current rate if that hour is still open. Served by the primary keys, one probe per
   * lookup.
   */
  const ratesAtTimes = (chainId: number, currency: Currency, lookups: readonly PriceLookup[]): Promise<Rate[]> =>
    closesIn(
      chainId,
      currency,
      hourlyCandles,
      lookups.map(({ asset, time }) => ({ asset, span: hourOf(time) })),
    );

  /** The rates of assets at span ends. Served by the primary keys, one probe per asset and span. */
  const ratesOfSpans = async (
    chainId: number,
    currency: Currency,
    spans: CandleTable,
    assets: readonly Address[],
    spanNumbers: readonly number[],
  ): Promise<(asset: Address, span: number) => Rate> => {
    const lookups = await mapInTurns(eachPair(assets, spanNumbers), ([asset, span]) => ({ asset, span }));
    const rates = await closesIn(chainId, currency, spans, lookups);
    const rowOf = new Map(assets.map((asset, position) => [asset, position * spanNumbers.length]));
    const columnOf = new Map(spanNumbers.map((span, position) => [span, position]));
    return (asset, span) => rates[(rowOf.get(asset) ?? Number.NaN) + (columnOf.get(span) ?? Number.NaN)] ?? null;
  };

  /**
   * The rates of assets at each of the times, like `ratesAtTimes`. For long lists of assets, few of them with prices: prices are looked up only for assets that
   * ever had one.
   */
  const ratesAtEachTime = async (
    chainId: number,
    currency: Currency,
    assets: Iterable<Address>,
    times: readonly number[],
  ): Promise<(asset: Address, time: number) => Rate> => {
    const priced = await lookUpPriced(chainId, assets);
    const rateOf = await ratesOfSpans(chainId, currency, hourlyCandles, [...priced.values()], [...new Set(times.map(hourOf))]);
    return (asset, time) => rateOf(asset, hourOf(time));
  };

  return {
    ratesAtTimes,
    ratesAtEachTime,
    /** The rates of assets at one time, like `ratesAtEachTime`. */
    ratesAt: async (chainId: number, currency: Currency, assets: Iterable<Address>, time: number): Promise<(asset: Address) => Rate> => {
      const rateAt = await ratesAtEachTime(chainId, currency, assets, [time]);
      return (asset) => rateAt(asset, time);
    },
    /**
     * The rates of assets at the ends of UTC days (since 1970), or the current rates for the current day. Served by the primary keys, one probe per asset and
     * day.
     */
    ratesOfDays: (chainId: number, currency: Currency, assets: readonly Address[], dayNumbers: readonly number[]) =>
      ratesOfSpans(chainId, currency, dailyCandles, assets, dayNumbers),
    /** The given assets that ever had a price. */
    pricedAssets: async (chainId: number, assets: Iterable<Address>): Promise<ReadonlySet<Address>> =>
      new Set((await lookUpPriced(chainId, assets)).values()),
  };
}

function* eachPair<Row, Column>(rows: readonly Row[], columns: readonly Column[]): Generator<readonly [Row, Column]> {
  for (const row of rows) for (const column of columns) yield [row, column];
}
