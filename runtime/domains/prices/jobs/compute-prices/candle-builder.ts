import { secondsPerDay, secondsPerHour } from "../../../../lib/time.ts";
import type { Asset } from "../../engine/assets.ts";
import { changesBetween, type PriceChange, type Prices } from "../../engine/prices.ts";
import { type CandleRows, createCandleSpans } from "./candle-spans.ts";

/** An asset's first price: its hour, and the time at which that ends; null while it runs. */
export interface FirstPrice {
  readonly asset: Asset;
  readonly hour: number;
  readonly end: number | null;
}

/** Rows to write together, and the last hour that they complete. */
export interface Portion {
  readonly hours: CandleRows;
  readonly days: CandleRows;
  readonly firsts: { readonly rows: readonly FirstPrice[]; readonly retracted: readonly Asset[] };
  readonly doneHour: number | null;
}

/** The assets that have had a price, and which rows were written for those whose first hour runs. */
const createFirstPrices = (known: Set<Asset>) => {
  /** First prices in the running hour. */
  let running: FirstPrice[] = [];
  let rows: FirstPrice[] = [];
  const written = new Map<Asset, number>();
  return {
    add: (changes: readonly PriceChange[], hour: number): void => {
      for (const { asset } of changes) {
        if (known.has(asset)) continue;
        known.add(asset);
        running.push({ asset, hour, end: (hour + 1) * secondsPerHour });
      }
    },
    endHour: (): void => {
      // One by one: an import may add more of them than a call can have arguments.
      for (const first of running) rows.push(first);
      running = [];
    },
    take: (changes: readonly PriceChange[] | null, hour: number): Portion["firsts"] => {
      for (const { asset } of rows) written.delete(asset);
      const unfinished = changes === null ? running : [...running, ...changes.filter(({ asset }) => !known.has(asset))];
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
      const taken = { rows, retracted };
      rows = [];
      return taken;
    },
  };
};

/** The times at which the completed spans of a portion ended. */
export const spanEndsOf = ({ hours, days, firsts, doneHour }: Portion): number[] => {
  const ends = new Set([...hours.rows, ...days.rows, ...firsts.rows].flatMap(({ end }) => end ?? []));
  if (doneHour !== null) ends.add((doneHour + 1) * secondsPerHour);
  return [...ends];
};

/** Builds candles of hours and days from the prices of buckets. `initial` are the prices before the first bucket, `known` the assets that have had a price. */
export function createCandleBuilder(initial: Prices, known: Set<Asset>) {
  const hours = createCandleSpans(secondsPerHour);
  const days = createCandleSpans(secondsPerDay);
  const firsts = createFirstPrices(known);
  let prices = initial;
  let hour: number | null = null;
  let doneHour: number | null = null;

  return {
    pendingRows: (): number => hours.pendingRows() + days.pendingRows(),
    /** Advances to the bucket that starts at a time: completes the spans that ended before. */
    advance: (start: number): void => {
      hours.advance(start);
      days.advance(start);
      const next = Math.floor(start / secondsPerHour);
      if (hour !== null && next !== hour) {
        firsts.endHour();
        doneHour = next - 1;
      }
      hour = next;
    },
    /** Closes the current bucket with its prices; null if they equal those of the bucket before. */
    close: (next: Prices | null): void => {
      const changes = next === null ? [] : changesBetween(prices, next);
      firsts.add(changes, hour as number);
      hours.close(changes);
      days.close(changes);
      if (next !== null) prices = next;
    },
    /** Takes the completed rows to write; with current prices, also the rows of the running spans. */
    take: (current: Prices | null): Portion => {
      const changes = current === null ? null : changesBetween(prices, current);
      const portion = {
        hours: hours.take(changes),
        days: days.take(changes),
        firsts: firsts.take(changes, hour as number),
        doneHour,
      };
      doneHour = null;
      return portion;
    },
  };
}
