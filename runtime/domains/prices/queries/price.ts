import type { Currency } from "../../../../generated/requests.gen.ts";
import { bytesArray } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import type { IndexCache } from "../../../database/index-cache.ts";
import { decimalOf } from "../../../lib/decimal.ts";
import type { Address } from "../../../lib/hex.ts";
import { forEachInTurns, mapInTurns } from "../../../lib/turns.ts";
import { createOwnedRateQueries } from "./owned-rates.ts";
import { createProgressQueries } from "./progress.ts";
import { type ChainOfCurrency, type Closes, convert, createCloses, days, hourOf, hours, type Rate, type SpanTable } from "./rates.ts";
import { createWalletQueries } from "./wallet.ts";

/** A token at a time (unix seconds). */
export interface PriceLookup {
  readonly asset: Address;
  readonly time: number;
}

/** All queries of prices. */
export type PriceQueries = ReturnType<typeof createPriceQueries>;

/** Queries of prices; `cache` may cache prices and the progress of their computation. */
export function createPriceQueries(queryable: Queryable, chainOfCurrency: ChainOfCurrency, cache?: IndexCache) {
  const closes = createCloses(queryable, chainOfCurrency, cache);
  return {
    ...createRateQueries(queryable, closes),
    ...createOwnedRateQueries(queryable, closes),
    ...createWalletQueries(queryable, closes),
    ...createProgressQueries(queryable),
  };
}

function createRateQueries({ query }: Queryable, { knownUntil, closes, currencyRates }: Closes) {
  const closesIn = async (
    chainId: number,
    currency: Currency,
    spans: SpanTable,
    lookups: readonly { asset: Address; span: number }[],
  ): Promise<Rate[]> => {
    const spanNumbers = lookups.map(({ span }) => span);
    const [rates, currencies] = await Promise.all([closes(chainId, spans, lookups), currencyRates(chainId, currency, spans, spanNumbers)]);
    if (currencies === null) return rates;
    // A quotient has 40 digits.
    return mapInTurns(rates, (rate, position) => convert(rate, currencies.get(lookups[position]?.span ?? -1) ?? null));
  };

  /**
   * The rate of each lookup at the end of the hour of its time, or the current rate if that hour is still open. Served by the primary keys, one probe per
   * lookup.
   */
  const ratesAtTimes = (chainId: number, currency: Currency, lookups: readonly PriceLookup[]): Promise<Rate[]> =>
    closesIn(
      chainId,
      currency,
      hours,
      lookups.map(({ asset, time }) => ({ asset, span: hourOf(time) })),
    );

  /**
   * The rates of assets at each of the times, like `ratesAtTimes`. For long lists of assets of which few have prices: one probe of the primary keys per time
   * and asset that ever had a price.
   */
  const ratesAtEach = async (
    chainId: number,
    currency: Currency,
    assets: Iterable<Address>,
    times: readonly number[],
  ): Promise<(asset: Address, time: number) => Rate> => {
    const hourNumbers = [...new Set(times.map(hourOf))];
    const [until, rows, currencies] = await Promise.all([
      knownUntil(chainId, hours),
      query<{ asset: Address; hour: number; close: string | null }>(
        `SELECT a.asset, t.hour, p.close FROM priced_assets a CROSS JOIN unnest($3::int4[]) AS t(hour) CROSS JOIN LATERAL (
           SELECT close FROM price_hours p WHERE p.chain_id = $1 AND p.asset = a.asset AND p.hour <= t.hour ORDER BY p.hour DESC LIMIT 1) p
         WHERE a.chain_id = $1 AND a.asset = ANY ($2::bytea[])`,
        [chainId, bytesArray(new Set(assets)), hourNumbers],
      ),
      currencyRates(chainId, currency, hours, hourNumbers),
    ]);
    const rates = new Map<string, Rate>();
    await forEachInTurns(rows, ({ asset, hour, close }) => {
      const rate = close === null || hour > until ? null : decimalOf(close);
      rates.set(`${asset}${hour}`, currencies === null ? rate : convert(rate, currencies.get(hour) ?? null));
    });
    return (asset, time) => rates.get(`${asset}${hourOf(time)}`) ?? null;
  };

  return {
    ratesAtTimes,
    ratesAtEach,
    /** The rates of assets at one time, like `ratesAtEach`. */
    ratesAt: async (chainId: number, currency: Currency, assets: Iterable<Address>, time: number): Promise<(asset: Address) => Rate> => {
      const rateAt = await ratesAtEach(chainId, currency, assets, [time]);
      return (asset) => rateAt(asset, time);
    },
    /**
     * The rates of assets at the ends of UTC days (since 1970), or the current rates for the current day. Served by the primary keys, one probe per asset and
     * day.
     */
    ratesOfDays: async (
      chainId: number,
      currency: Currency,
      assets: readonly Address[],
      dayNumbers: readonly number[],
    ): Promise<(asset: Address, day: number) => Rate> => {
      const lookups = await mapInTurns(eachPair(assets, dayNumbers), ([asset, span]) => ({ asset, span }));
      const rates = await closesIn(chainId, currency, days, lookups);
      const rowOf = new Map(assets.map((asset, position) => [asset, position * dayNumbers.length]));
      const columnOf = new Map(dayNumbers.map((day, position) => [day, position]));
      return (asset, day) => rates[(rowOf.get(asset) ?? Number.NaN) + (columnOf.get(day) ?? Number.NaN)] ?? null;
    },
    /** The given assets that ever had a price. Served by the primary key. */
    pricedAmong: async (chainId: number, assets: readonly Address[]): Promise<ReadonlySet<Address>> => {
      const rows = await query<{ asset: Address }>("SELECT asset FROM priced_assets WHERE chain_id = $1 AND asset = ANY ($2::bytea[])", [
        chainId,
        bytesArray(assets),
      ]);
      return new Set(rows.map(({ asset }) => asset));
    },
  };
}

function* eachPair<First, Second>(firsts: readonly First[], seconds: readonly Second[]): Generator<readonly [First, Second]> {
  for (const first of firsts) for (const second of seconds) yield [first, second];
}
