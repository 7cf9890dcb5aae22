import type { Currency } from "../../../../generated/requests.gen.ts";
import type { ChainConfig } from "../../../config/config.ts";
import { bytesArray } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { type IndexCache, noIndexCache } from "../../../database/index-cache.ts";
import { identifier, plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import type { CacheLookups, Lookup } from "../../../lib/cache-lookups.ts";
import { type Decimal, divide, parseDecimal } from "../../../lib/decimal.ts";
import { secondsPerDay, secondsPerHour } from "../../../lib/time.ts";
import { forEachInTurns, mapInTurns } from "../../../lib/turns.ts";
import { type Asset, currencyAsset } from "../engine/assets.ts";

/** The price of one smallest unit of a token in a currency; null if it is unknown. */
export type Rate = Decimal | null;

/** The chain whose rate for a currency applies to a chain's prices. */
export type ChainOfCurrency = (chainId: number, currency: Currency) => number;

/**
 * Chains share currency feeds: a chain uses its own feed for a currency, otherwise the feed of the first chain with one, otherwise its own imported rates.
 */
export const createChainOfCurrency =
  (chains: readonly ChainConfig[]): ChainOfCurrency =>
  (chainId, currency) => {
    const chainsWithFeed = chains.filter(({ prices }) => prices.feeds.some((feed) => feed.of === currency));
    return (chainsWithFeed.find(({ id }) => id === chainId) ?? chainsWithFeed[0])?.id ?? chainId;
  };

/** Candles of one length. */
export interface CandleTable {
  readonly table: Sql;
  readonly column: Sql;
  readonly seconds: number;
}

export const hourlyCandles: CandleTable = { table: identifier("price_hours"), column: identifier("hour"), seconds: secondsPerHour };
export const dailyCandles: CandleTable = { table: identifier("price_days"), column: identifier("day"), seconds: secondsPerDay };

/** Max hours by which price computation may lag behind the chain for its last prices to be served as current. */
const maxLagHours = 24;

/** The hour (since 1970) of a time. */
export const hourOf = (time: number): number => Math.floor(time / secondsPerHour);

/** Converts a rate in US dollars into a currency with this rate. */
export const convert = (rate: Rate, currency: Rate): Rate =>
  rate === null || currency === null || currency.digits === 0n ? null : divide(rate, currency);

/** Max number of cached closing prices per chain, for hours and for days, about 20 MB. */
const maxCached = 100_000;

/** The asset and the span of a key `asset:span`. */
const assetOf = (key: string): Asset => key.slice(0, key.indexOf(":")) as Asset;
const spanOf = (key: string): number => Number(key.slice(key.indexOf(":") + 1));

/** Queries for closing prices, from which the other price queries are composed. */
export type ClosingPriceQueries = ReturnType<typeof createClosingPriceQueries>;

/** Reads closing prices in US dollars, in the order of the lookups. */
export type ReadClosingPrices = (
  chainId: number,
  spans: CandleTable,
  lookups: readonly { readonly asset: Asset; readonly span: number }[],
) => Promise<Rate[]>;

/** Reads the closing prices of chains stored in another database; undefined for other chains. */
export type RemoteClosingPrices = (chainId: number) => ReadClosingPrices | undefined;

/** Queries for closing prices by span. */
export function createClosingPriceQueries(
  { query }: Queryable,
  chainOfCurrency: ChainOfCurrency,
  cache: IndexCache = noIndexCache,
  remoteClosingPrices: RemoteClosingPrices = () => undefined,
) {
  /** The last priced hours of chains with lagging price computation; served by the primary keys of price_progress and blocks. */
  const laggingHours = cache.loads(
    "price_progress",
    "blocks",
  )(async (chainIds: readonly number[]): Promise<ReadonlyMap<number, number>> => {
    const rows = await query<{ chain_id: number; hour: number }>(
      plannedOnce(sql`SELECT requested.chain_id, p.hour FROM unnest($1::int8[]) AS requested(chain_id)
          CROSS JOIN LATERAL (SELECT hour FROM price_progress WHERE chain_id = requested.chain_id ORDER BY hour DESC LIMIT 1) p
          WHERE (p.hour + ${maxLagHours} + 1)::int8 * ${secondsPerHour}
            <= (SELECT timestamp FROM blocks WHERE chain_id = requested.chain_id ORDER BY number DESC LIMIT 1)`),
      [chainIds],
    );
    return new Map(rows.map(({ chain_id, hour }) => [chain_id, hour]));
  });

  /**
   * The last span with known prices; infinite if prices are up to date with the chain. While prices are computed or recomputed, the last computed price may be
   * years old and must not be served as current.
   */
  const knownUntil = async (chainId: number, { seconds }: CandleTable): Promise<number> => {
    const hour = (await laggingHours([chainId])).get(chainId);
    return hour === undefined ? Number.POSITIVE_INFINITY : Math.floor(((hour + maxLagHours) * secondsPerHour) / seconds);
  };

  /** Closing prices by keys `asset:span`; unknown prices are omitted. Served by the primary keys, one probe per key. */
  const closesIn = ({ table, column }: CandleTable, cacheLookups: CacheLookups): Lookup<Decimal> => {
    const select = plannedOnce(sql`SELECT k.position::int4 AS position, p.close
        FROM unnest($2::bytea[], $3::int4[]) WITH ORDINALITY AS k(asset, span, position) CROSS JOIN LATERAL (
          SELECT close FROM ${table} p WHERE p.chain_id = $1 AND p.asset = k.asset AND p.${column} <= k.span
          ORDER BY p.${column} DESC LIMIT 1) p WHERE p.close IS NOT NULL`);
    return cacheLookups(async (chainId, keys) => {
      const parameters = [chainId, bytesArray(keys.map(assetOf)), keys.map(spanOf)];
      const rows = await query<{ position: number; close: string }>(select, parameters);
      const prices = new Map<string, Decimal>();
      await forEachInTurns(rows, ({ position, close }) => void prices.set(keys[position - 1] ?? "", parseDecimal(close)));
      return prices;
    }, maxCached);
  };
  const lookUpHours = closesIn(hourlyCandles, cache.lookups("price_hours"));
  const lookUpDays = closesIn(dailyCandles, cache.lookups("price_days"));

  const closingPrices: ReadClosingPrices = async (chainId, spans, lookups) => {
    if (lookups.length === 0) return [];
    const keys = await mapInTurns(lookups, ({ asset, span }) => `${asset}:${span}`);
    const [until, found] = await Promise.all([
      knownUntil(chainId, spans),
      (spans === hourlyCandles ? lookUpHours : lookUpDays)(chainId, keys),
    ]);
    return mapInTurns(lookups, ({ span }, position) => (span > until ? null : (found.get(keys[position] ?? "") ?? null)));
  };

  /** US dollars for one unit of a currency at the end of each span; null for US dollars themselves. */
  const currencyRates = async (chainId: number, currency: Currency, spans: CandleTable, spanNumbers: readonly number[]) => {
    if (currency === "USD") return null;
    const asset = currencyAsset(currency);
    const unique = [...new Set(spanNumbers)];
    const rateChain = chainOfCurrency(chainId, currency);
    const rates = await (remoteClosingPrices(rateChain) ?? closingPrices)(
      rateChain,
      spans,
      unique.map((span) => ({ asset, span })),
    );
    return new Map(unique.map((span, position) => [span, rates[position] ?? null]));
  };

  return { knownUntil, closingPrices, currencyRates };
}
