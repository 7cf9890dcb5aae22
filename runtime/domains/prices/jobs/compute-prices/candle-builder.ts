import { secondsPerDay, secondsPerHour } from "../../../../lib/time.ts";
import type { Asset } from "../../engine/assets.ts";
import { changesBetween, type PriceChange, type Prices } from "../../engine/prices.ts";
import { type CandleRows, createCandleSpans } from "./candle-spans.ts";

/** An asset's first price: its hour, and the end of that hour; null until it ends. */
export interface FirstPrice {
  readonly asset: Asset;
  readonly hour: number;
  readonly end: number | null;
}

/** Rows to write together, and the last hour that they complete. */
export interface Portion {
  readonly hours: CandleRows;
  readonly days: CandleRows;
  readonly firstPrices: { readonly rows: readonly FirstPrice[]; readonly retracted: readonly Asset[] };
  readonly completedHour: number | null;
}

/** The assets that have had a price, and the rows written for assets in their first hour. */
const createFirstPrices = (pricedAssets: Set<Asset>) => {
  /** First prices in the current hour. */
  let inCurrentHour: FirstPrice[] = [];
  let rows: FirstPrice[] = [];
  const written = new Map<Asset, number>();
  return {
    add: (changes: readonly PriceChange[], hour: number): void => {
      for (const { asset } of changes) {
        if (pricedAssets.has(asset)) continue;
        pricedAssets.add(asset);
        inCurrentHour.push({ asset, hour, end: (hour + 1) * secondsPerHour });
      }
    },
    endHour: (): void => {
      // Pushed one by one: after an import there may be more than a call can take as arguments.
      for (const first of inCurrentHour) rows.push(first);
      inCurrentHour = [];
    },
    takeRows: (changes: readonly PriceChange[] | null, hour: number): Portion["firstPrices"] => {
      for (const { asset } of rows) written.delete(asset);
      const unfinished = changes === null ? inCurrentHour : [...inCurrentHour, ...changes.filter(({ asset }) => !pricedAssets.has(asset))];
      const current = new Set(unfinished.map(({ asset }) => asset));
      const retracted = [...written.keys()].filter((asset) => !current.has(asset));
      for (const asset of retracted) written.delete(asset);
      if (changes !== null) {
        for (const asset of current) {
          if (written.get(asset) === hour) continue;
          written.set(asset, hour);
          rows.push({ asset, hour, end: null });
        }
      }
      const result = { rows, retracted };
      rows = [];
      return result;
    },
  };
};

/** The times at which a portion's completed spans ended. */
export const spanEndsOf = ({ hours, days, firstPrices, completedHour }: Portion): number[] => {
  const ends = new Set([...hours.rows, ...days.rows, ...firstPrices.rows].flatMap(({ end }) => end ?? []));
  if (completedHour !== null) ends.add((completedHour + 1) * secondsPerHour);
  return [...ends];
};

/**
 * Builds hourly and daily candles from bucket prices. `initial` are the prices before the first bucket, `pricedAssets` the assets that have had a
 * price.
 */
export function createCandleBuilder(initial: Prices, pricedAssets: Set<Asset>) {
  const hours = createCandleSpans(secondsPerHour);
  const days = createCandleSpans(secondsPerDay);
  const firstPrices = createFirstPrices(pricedAssets);
  let prices = initial;
  let hour: number | null = null;
  let completedHour: number | null = null;

  return {
    pendingRowCount: (): number => hours.pendingRowCount() + days.pendingRowCount(),
    /** Advances to the bucket that starts at a time: completes the spans that ended before. */
    advance: (start: number): void => {
      hours.advance(start);
      days.advance(start);
      const next = Math.floor(start / secondsPerHour);
      if (hour !== null && next !== hour) {
        firstPrices.endHour();
        completedHour = next - 1;
      }
      hour = next;
    },
    /** Closes the current bucket with its prices; null if they equal the previous bucket's prices. */
    close: (next: Prices | null): void => {
      const changes = next === null ? [] : changesBetween(prices, next);
      firstPrices.add(changes, hour as number);
      hours.close(changes);
      days.close(changes);
      if (next !== null) prices = next;
    },
    /** Takes the completed rows to write; if current prices are passed, also the rows of the open spans. */
    takeRows: (current: Prices | null): Portion => {
      const changes = current === null ? null : changesBetween(prices, current);
      const portion = {
        hours: hours.takeRows(changes),
        days: days.takeRows(changes),
        firstPrices: firstPrices.takeRows(changes, hour as number),
        completedHour,
      };
      completedHour = null;
      return portion;
    },
  };
}
