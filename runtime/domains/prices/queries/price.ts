import type { Currency } from "../../../../generated/requests.gen.ts";
import { bytes, bytesArray } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { type Decimal, decimalOf, divide } from "../../../lib/decimal.ts";
import { type Address, nativeTokenAddress } from "../../../lib/hex.ts";
import { secondsOfDay, secondsOfHour } from "../../../lib/time.ts";
import { standards } from "../../tokens/projection/standards.ts";
import { type Asset, currencyAsset } from "../engine/assets.ts";
import { createProgressQueries } from "./progress.ts";

/** What one smallest unit of a token is worth in some currency; null where that is not known. */
export type Rate = Decimal | null;

/** A token at a time (unix seconds). */
export interface PriceAsk {
  readonly asset: Address;
  readonly time: number;
}

/** What an owner's tokens were worth at several moments, which their position among those asked for names. */
export interface OwnedRates {
  /** In the currency asked for. */
  readonly rate: (asset: Address, moment: number) => Rate;
  /** In US dollars, whatever the currency. */
  readonly usd: (asset: Address, moment: number) => Rate;
}

/** Everything that can be asked of the tables of prices. */
export type PriceQueries = ReturnType<typeof createPriceQueries>;

interface Spans {
  readonly table: "price_hours" | "price_days";
  readonly column: "hour" | "day";
  readonly seconds: number;
}
const hours: Spans = { table: "price_hours", column: "hour", seconds: secondsOfHour };
const days: Spans = { table: "price_days", column: "day", seconds: secondsOfDay };

/** The making of prices may be so many hours behind the chain before the last ones that it told count for nothing. */
const latestHours = 24;

/**
 * Questions about what tokens were worth. `chainOfCurrency` says whose rate of a currency counts for the prices of a chain: chains share currencies, and not
 * each one has a feed of its own.
 */
export function createPriceQueries({ query }: Pick<Database, "query">, chainOfCurrency: (chainId: number, currency: Currency) => number) {
  /**
   * The last span of which a price is known, without end where prices are level with the chain. While they are made, or made anew, the last one that was made may be of
   * years ago, and says nothing of now. Served by the primary keys of price_progress and blocks.
   */
  const knownUntil = async (chainId: number, { seconds }: Spans): Promise<number> => {
    const rows = await query<{ hour: number }>(
      `SELECT p.hour FROM (SELECT hour FROM price_progress WHERE chain_id = $1 ORDER BY hour DESC LIMIT 1) p
       WHERE (p.hour + ${latestHours} + 1)::int8 * ${secondsOfHour} <= (SELECT timestamp FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1)`,
      [chainId],
    );
    return rows[0] === undefined ? Number.POSITIVE_INFINITY : Math.floor(((rows[0].hour + latestHours) * secondsOfHour) / seconds);
  };

  /** The closing prices in US dollars, in the order of the asks. Served by the primary keys, one probe an ask. */
  const closes = async (chainId: number, spans: Spans, asks: readonly { asset: Asset; span: number }[]): Promise<Rate[]> => {
    const { table, column } = spans;
    const rates: Rate[] = asks.map(() => null);
    if (asks.length === 0) return rates;
    const known = knownUntil(chainId, spans);
    const found = query<{ position: number; close: string | null }>(
      `SELECT k.position::int4 AS position, p.close FROM unnest($2::bytea[], $3::int4[]) WITH ORDINALITY AS k(asset, span, position) CROSS JOIN LATERAL (
         SELECT close FROM ${table} p WHERE p.chain_id = $1 AND p.asset = k.asset AND p.${column} <= k.span ORDER BY p.${column} DESC LIMIT 1) p`,
      [chainId, bytesArray(asks.map(({ asset }) => asset)), asks.map(({ span }) => span)],
    );
    const [until, rows] = await Promise.all([known, found]);
    for (const { position, close } of rows) {
      if (close !== null && (asks[position - 1]?.span ?? 0) <= until) rates[position - 1] = decimalOf(close);
    }
    return rates;
  };

  /** US dollars for one unit of a currency at the end of each span. */
  const ratesOfCurrency = async (chainId: number, currency: Currency, spans: Spans, wanted: readonly number[]) => {
    if (currency === "USD") return null;
    const asset = currencyAsset(currency);
    const unique = [...new Set(wanted)];
    const rates = await closes(
      chainOfCurrency(chainId, currency),
      spans,
      unique.map((span) => ({ asset, span })),
    );
    return new Map(unique.map((span, position) => [span, rates[position] ?? null]));
  };

  const closesIn = async (
    chainId: number,
    currency: Currency,
    spans: Spans,
    asks: readonly { asset: Address; span: number }[],
  ): Promise<Rate[]> => {
    const [rates, currencies] = await Promise.all([
      closes(chainId, spans, asks),
      ratesOfCurrency(
        chainId,
        currency,
        spans,
        asks.map(({ span }) => span),
      ),
    ]);
    if (currencies === null) return rates;
    return rates.map((rate, position) => convert(rate, currencies.get(asks[position]?.span ?? -1) ?? null));
  };

  /**
   * What each asset was worth at the end of the hour of its time, or is worth now where that hour still runs; in the order of the asks. Served by
   * the primary keys, one probe an ask.
   */
  const ratesAtTimes = (chainId: number, currency: Currency, asks: readonly PriceAsk[]): Promise<Rate[]> =>
    closesIn(
      chainId,
      currency,
      hours,
      asks.map(({ asset, time }) => ({ asset, span: Math.floor(time / secondsOfHour) })),
    );

  /**
   * What assets were worth at each of some times: as `ratesAtTimes`, for long lists of which few have a price. Served by the primary keys: one probe a time of
   * each asset that ever had one.
   */
  const ratesAtEach = async (
    chainId: number,
    currency: Currency,
    assets: Iterable<Address>,
    times: readonly number[],
  ): Promise<(asset: Address, time: number) => Rate> => {
    const wanted = [...new Set(times.map(hourOf))];
    const [until, rows, currencies] = await Promise.all([
      knownUntil(chainId, hours),
      query<{ asset: Address; hour: number; close: string | null }>(
        `SELECT a.asset, t.hour, p.close FROM priced_assets a CROSS JOIN unnest($3::int4[]) AS t(hour) CROSS JOIN LATERAL (
           SELECT close FROM price_hours p WHERE p.chain_id = $1 AND p.asset = a.asset AND p.hour <= t.hour ORDER BY p.hour DESC LIMIT 1) p
         WHERE a.chain_id = $1 AND a.asset = ANY ($2::bytea[])`,
        [chainId, bytesArray(new Set(assets)), wanted],
      ),
      ratesOfCurrency(chainId, currency, hours, wanted),
    ]);
    const rates = new Map(
      rows.map(({ asset, hour, close }) => {
        const rate = close === null || hour > until ? null : decimalOf(close);
        return [`${asset}${hour}`, currencies === null ? rate : convert(rate, currencies.get(hour) ?? null)];
      }),
    );
    return (asset, time) => rates.get(`${asset}${hourOf(time)}`) ?? null;
  };

  /** The same at one time. */
  const ratesAt = async (
    chainId: number,
    currency: Currency,
    assets: Iterable<Address>,
    time: number,
  ): Promise<(asset: Address) => Rate> => {
    const rateAt = await ratesAtEach(chainId, currency, assets, [time]);
    return (asset) => rateAt(asset, time);
  };

  /** What assets were worth at the end of UTC days (days since 1970), or are worth now on the running day. Served by the primary keys, one probe an asset and day. */
  const ratesOfDays = async (
    chainId: number,
    currency: Currency,
    assets: readonly Address[],
    wanted: readonly number[],
  ): Promise<(asset: Address, day: number) => Rate> => {
    const asks = assets.flatMap((asset) => wanted.map((span) => ({ asset, span })));
    const rates = await closesIn(chainId, currency, days, asks);
    const byKey = new Map(asks.map(({ asset, span }, position) => [`${asset}${span}`, rates[position] ?? null]));
    return (asset, day) => byKey.get(`${asset}${day}`) ?? null;
  };

  /** Of the native token and every other that an owner ever had, those alone that ever had a price: so it can be asked beside the balances, and not after them. */
  const ratesOwnedIn = async (
    chainId: number,
    currency: Currency,
    owner: Address,
    spans: Spans,
    wanted: readonly number[],
  ): Promise<OwnedRates> => {
    const { table, column } = spans;
    const [until, rows, currencies] = await Promise.all([
      knownUntil(chainId, spans),
      query<{ asset: Address; moment: number; close: string | null }>(
        // First which of them have prices, and then these: the planner might look up the prices of all that ever had one.
        `WITH owned AS MATERIALIZED (
           SELECT a.asset FROM balances b JOIN priced_assets a ON a.chain_id = $1 AND a.asset = b.token
           WHERE b.chain_id = $1 AND b.owner = $2 AND b.standard IN (${standards.native}, ${standards.erc20})
           UNION SELECT asset FROM priced_assets WHERE chain_id = $1 AND asset = $4)
         SELECT o.asset, k.moment::int4 AS moment, p.close
         FROM owned o CROSS JOIN unnest($3::int4[]) WITH ORDINALITY AS k(span, moment) CROSS JOIN LATERAL (
           SELECT close FROM ${table} p WHERE p.chain_id = $1 AND p.asset = o.asset AND p.${column} <= k.span ORDER BY p.${column} DESC LIMIT 1) p`,
        [chainId, bytes(owner), wanted, bytes(nativeTokenAddress)],
      ),
      ratesOfCurrency(chainId, currency, spans, wanted),
    ]);
    const dollars = wanted.map(() => new Map<Address, Rate>());
    for (const { asset, moment, close } of rows) {
      if ((wanted[moment - 1] ?? 0) <= until) dollars[moment - 1]?.set(asset, close === null ? null : decimalOf(close));
    }
    const usd: OwnedRates["usd"] = (asset, moment) => dollars[moment]?.get(asset) ?? null;
    if (currencies === null) return { rate: usd, usd };
    return { rate: (asset, moment) => convert(usd(asset, moment), currencies.get(wanted[moment] ?? -1) ?? null), usd };
  };

  /** What the native token and the tokens that an owner ever had were worth at some times, as `ratesAtTimes`. Served by the primary keys of balances and prices. */
  const ratesOwnedAt = (chainId: number, currency: Currency, owner: Address, times: readonly number[]): Promise<OwnedRates> =>
    ratesOwnedIn(
      chainId,
      currency,
      owner,
      hours,
      times.map((time) => Math.floor(time / secondsOfHour)),
    );

  /** The same at the ends of UTC days, as `ratesOfDays`. */
  const ratesOwnedOfDays = (chainId: number, currency: Currency, owner: Address, wanted: readonly number[]): Promise<OwnedRates> =>
    ratesOwnedIn(chainId, currency, owner, days, wanted);

  /** Those of some assets that ever had a price. Served by the primary key. */
  const pricedAmong = async (chainId: number, assets: readonly Address[]): Promise<ReadonlySet<Address>> => {
    const rows = await query<{ asset: Address }>("SELECT asset FROM priced_assets WHERE chain_id = $1 AND asset = ANY ($2::bytea[])", [
      chainId,
      bytesArray(assets),
    ]);
    return new Set(rows.map(({ asset }) => asset));
  };

  return {
    ratesAtTimes,
    ratesAt,
    ratesAtEach,
    ratesOfDays,
    ratesOwnedAt,
    ratesOwnedOfDays,
    pricedAmong,
    ...createProgressQueries({ query }),
  };
}

const hourOf = (time: number): number => Math.floor(time / secondsOfHour);

/** A rate in US dollars as one in a currency of which one unit is worth so many dollars. */
const convert = (rate: Rate, currency: Rate): Rate =>
  rate === null || currency === null || currency.digits === 0n ? null : divide(rate, currency);
