import { bytes } from "../../../../runtime/database/codecs.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import type { Asset } from "../../../../runtime/domains/prices/engine/assets.ts";
import { compare, type Decimal, parseDecimal, shift, toText } from "../../../../runtime/lib/decimal.ts";
import { groupBy } from "../../../../runtime/lib/group-by.ts";
import { secondsPerDay, secondsPerHour } from "../../../../runtime/lib/time.ts";

/** An asset's closing price in the hour that contains a time. */
export interface PriceRow {
  readonly asset: Asset;
  /** Unix seconds. */
  readonly time: number;
  /** US dollars per smallest unit of a token or per whole unit of a currency; null if it is unknown from then on. */
  readonly close: string | null;
}

interface Span {
  readonly open: string | null;
  readonly high: string | null;
  readonly low: string | null;
  readonly close: string | null;
}

/** Converts US dollars per whole token to US dollars per smallest unit. */
export const perUnit = (price: string, decimals: number): string => toText(shift(parseDecimal(price), -decimals));

/** Fills the price tables with each asset's hours and days. An hour opens with the previous close. */
export async function insertPrices(database: Pick<Database, "query">, chainId: number, rows: readonly PriceRow[]): Promise<void> {
  for (const [asset, assetRows] of groupBy(rows, (row) => row.asset)) {
    const ordered = assetRows.toSorted((left, right) => left.time - right.time);
    const hours = ordered.map(({ time, close }, position) => {
      const open = close === null ? null : (ordered[position - 1]?.close ?? close);
      return { hour: Math.floor(time / secondsPerHour), ...rangeOf(open, close, [open, close]) };
    });
    const days = [...groupBy(hours, ({ hour }) => Math.floor((hour * secondsPerHour) / secondsPerDay))].map(([day, spans]) => ({
      day,
      ...rangeOf(
        spans[0]?.open ?? null,
        spans.at(-1)?.close ?? null,
        spans.flatMap(({ high, low }) => [high, low]),
      ),
    }));
    for (const { hour, ...span } of hours) await insertSpan(database, chainId, "hour", asset, hour, span);
    for (const { day, ...span } of days) await insertSpan(database, chainId, "day", asset, day, span);
    await database.query("INSERT INTO priced_assets (chain_id, asset, hour) VALUES ($1, $2, $3)", [chainId, bytes(asset), hours[0]?.hour]);
  }
}

const insertSpan = (database: Pick<Database, "query">, chainId: number, unit: "hour" | "day", asset: Asset, number: number, span: Span) =>
  database.query(`INSERT INTO price_${unit}s (chain_id, asset, ${unit}, open, high, low, close) VALUES ($1, $2, $3, $4, $5, $6, $7)`, [
    chainId,
    bytes(asset),
    number,
    span.open,
    span.high,
    span.low,
    span.close,
  ]);

function rangeOf(open: string | null, close: string | null, candidates: readonly (string | null)[]): Span {
  const sorted = candidates.flatMap((text): Decimal[] => (text === null ? [] : [parseDecimal(text)])).sort(compare);
  const [low, high] = [sorted[0], sorted.at(-1)];
  return { open, high: high === undefined ? null : toText(high), low: low === undefined ? null : toText(low), close };
}
