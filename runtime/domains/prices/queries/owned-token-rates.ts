import type { Currency } from "../../../../generated/requests.gen.ts";
import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import { parseDecimal } from "../../../lib/decimal.ts";
import { type Address, nativeTokenAddress } from "../../../lib/hex.ts";
import { forEachInTurns } from "../../../lib/turns.ts";
import { standards } from "../../tokens/projection/standards.ts";
import { type CandleTable, type ClosingPriceQueries, convert, dailyCandles, hourlyCandles, hourOf, type Rate } from "./rates.ts";

/** The rates of an owner's tokens at several times, each identified by its position in the request. */
export interface OwnedTokenRates {
  /** In the requested currency. */
  readonly rate: (asset: Address, position: number) => Rate;
  /** In US dollars, regardless of the requested currency. */
  readonly usd: (asset: Address, position: number) => Rate;
}

/** Queries for the rates of tokens that an owner has ever held. They do not depend on the balance query and can run concurrently with it. */
export function createOwnedTokenRateQueries({ query }: Queryable, { knownUntil, currencyRates }: ClosingPriceQueries) {
  const ownedTokenRatesOfSpans = async (
    chainId: number,
    currency: Currency,
    owner: Address,
    spans: CandleTable,
    spanNumbers: readonly number[],
  ): Promise<OwnedTokenRates> => {
    const { table, column } = spans;
    const [until, rows, currencies] = await Promise.all([
      knownUntil(chainId, spans),
      query<{ asset: Address; closes: readonly (string | null)[] }>(
        // Materialized: the planner might otherwise look up the prices of all assets that ever had one.
        sql`WITH owned AS MATERIALIZED (
              SELECT a.asset FROM balances b JOIN priced_assets a ON a.chain_id = $1 AND a.asset = b.token
              WHERE b.chain_id = $1 AND b.owner = $2 AND b.standard IN (${standards.native}, ${standards.erc20})
              UNION SELECT asset FROM priced_assets WHERE chain_id = $1 AND asset = $4)
            SELECT o.asset, ARRAY(
              SELECT (SELECT close FROM ${table} p WHERE p.chain_id = $1 AND p.asset = o.asset AND p.${column} <= k.span
                ORDER BY p.${column} DESC LIMIT 1)
              FROM unnest($3::int4[]) WITH ORDINALITY AS k(span, position) ORDER BY k.position) AS closes
            FROM owned o`,
        [chainId, bytes(owner), spanNumbers, bytes(nativeTokenAddress)],
      ),
      currencyRates(chainId, currency, spans, spanNumbers),
    ]);
    const isKnown = spanNumbers.map((span) => span <= until);
    const dollars = new Map<Address, readonly Rate[]>();
    await forEachInTurns(rows, ({ asset, closes }) => void dollars.set(asset, ratesOf(closes, isKnown)));
    const usd: OwnedTokenRates["usd"] = (asset, position) => dollars.get(asset)?.[position] ?? null;
    if (currencies === null) return { rate: usd, usd };
    return { rate: (asset, position) => convert(usd(asset, position), currencies.get(spanNumbers[position] ?? -1) ?? null), usd };
  };

  return {
    /** The rates at the hours of the times, like `ratesAtTimes`. Served by the primary keys of balances and prices. */
    ownedTokenRatesAt: (chainId: number, currency: Currency, owner: Address, times: readonly number[]): Promise<OwnedTokenRates> =>
      ownedTokenRatesOfSpans(chainId, currency, owner, hourlyCandles, times.map(hourOf)),
    /** The rates at the ends of UTC days, like `ratesOfDays`. Served by the primary keys of balances and prices. */
    ownedTokenRatesOfDays: (
      chainId: number,
      currency: Currency,
      owner: Address,
      spanNumbers: readonly number[],
    ): Promise<OwnedTokenRates> => ownedTokenRatesOfSpans(chainId, currency, owner, dailyCandles, spanNumbers),
  };
}

/** Closing prices as rates, null where they are not known. Consecutive equal prices are one object, so that callers can recognise them. */
function ratesOf(closes: readonly (string | null)[], isKnown: readonly boolean[]): Rate[] {
  let last: { readonly close: string; readonly rate: Rate } | null = null;
  return closes.map((close, position) => {
    if (close === null || isKnown[position] !== true) return null;
    if (last?.close !== close) last = { close, rate: parseDecimal(close) };
    return last.rate;
  });
}
