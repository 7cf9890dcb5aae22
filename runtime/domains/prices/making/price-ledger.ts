import type { Decimal } from "../../../lib/decimal.ts";
import { secondsOfDay, secondsOfHour } from "../../../lib/time.ts";
import type { Asset } from "../assets.ts";
import { type Candle, type Candles, changesBetween, flat, isSameCandle, takeIn } from "../model/candles.ts";

/** A candle of an hour or a day (since 1970) that is to be written. */
export interface CandleRow {
  readonly asset: Asset;
  readonly span: number;
  readonly candle: Candle;
  /** The time at which the span is over; null while it runs. */
  readonly end: number | null;
}

/** Candles that are to be written, and the last hour that is done with them. */
export interface Portion {
  readonly hours: readonly CandleRow[];
  readonly days: readonly CandleRow[];
  /** Assets that had no price before, by the hour of the first one. */
  readonly firsts: readonly { readonly asset: Asset; readonly hour: number }[];
  readonly doneHour: number | null;
}

/** One kind of span: its candles while it runs, and what was written of them. */
const createSpans = (seconds: number) => {
  let span: number | null = null;
  let candles: Candles = new Map();
  const written = new Map<Asset, Candle>();
  const closed: CandleRow[] = [];
  return {
    closed,
    /** Comes to a time; a span that is over then is put aside. `standing`: what the prices are. */
    enter: (time: number, standing: ReadonlyMap<Asset, Decimal>): boolean => {
      const next = Math.floor(time / seconds);
      if (next === span) return false;
      if (span !== null) {
        const end = (span + 1) * seconds;
        for (const [asset, candle] of candles) closed.push({ asset, span, candle, end });
        // What was written while the span ran, and did not come true.
        for (const asset of written.keys())
          if (!candles.has(asset)) closed.push({ asset, span, candle: flat(standing.get(asset) ?? null), end });
      }
      span = next;
      candles = new Map();
      written.clear();
      return true;
    },
    take: (changes: ReturnType<typeof changesBetween>, isFirst: boolean): void => takeIn(candles, changes, isFirst),
    /** The running span as it would be if it ended with these prices: what is not written so yet. */
    running: (changes: ReturnType<typeof changesBetween>, isFirst: boolean, standing: ReadonlyMap<Asset, Decimal>): CandleRow[] => {
      if (span === null) return [];
      const now: Candles = new Map(candles);
      takeIn(now, changes, isFirst);
      for (const asset of written.keys()) if (!now.has(asset)) now.set(asset, flat(standing.get(asset) ?? null));
      const rows: CandleRow[] = [];
      for (const [asset, candle] of now) {
        const before = written.get(asset);
        if (before !== undefined && isSameCandle(before, candle)) continue;
        written.set(asset, candle);
        rows.push({ asset, span, candle, end: null });
      }
      return rows;
    },
  };
};

/** The times at which what is in a portion was over. */
export const endsIn = ({ hours, days, firsts, doneHour }: Portion): number[] => {
  const ends = new Set([...hours, ...days].flatMap(({ end }) => end ?? []));
  for (const hour of [...firsts.map((first) => first.hour), ...(doneHour === null ? [] : [doneHour])]) ends.add((hour + 1) * secondsOfHour);
  return [...ends];
};

/** Gathers prices, quarter of an hour by quarter, to candles of hours and days. */
export function createPriceLedger(standing: Map<Asset, Decimal>, known: Set<Asset>) {
  const hours = createSpans(secondsOfHour);
  const days = createSpans(secondsOfDay);
  let prices: ReadonlyMap<Asset, Decimal> = standing;
  let firsts: { asset: Asset; hour: number }[] = [];
  let doneHour: number | null = null;
  let hasEntered = false;
  let isFirstOfHour = false;
  let isFirstOfDay = false;

  const note = (changes: ReturnType<typeof changesBetween>, start: number): void => {
    for (const { asset } of changes) {
      if (known.has(asset)) continue;
      known.add(asset);
      firsts.push({ asset, hour: Math.floor(start / secondsOfHour) });
    }
  };

  return {
    /** How many rows wait to be written. */
    waiting: (): number => hours.closed.length + days.closed.length,
    /** Comes to a quarter by its first second: what ended before it is put aside. */
    enter: (start: number): void => {
      const hour = Math.floor(start / secondsOfHour);
      if (hours.enter(start, prices)) {
        isFirstOfHour = true;
        doneHour = hasEntered ? hour - 1 : null;
        hasEntered = true;
      }
      if (days.enter(start, prices)) isFirstOfDay = true;
    },
    /** The prices of the quarter that was entered; null where they are those of the one before. */
    close: (start: number, next: ReadonlyMap<Asset, Decimal> | null): void => {
      if (next !== null) {
        const changes = changesBetween(prices, next);
        note(changes, start);
        hours.take(changes, isFirstOfHour);
        days.take(changes, isFirstOfDay);
        prices = next;
      }
      isFirstOfHour = false;
      isFirstOfDay = false;
    },
    /** What ended, to be written; and what runs, as it stands with the prices of now, where they are told. */
    takeOut: (start: number, now: ReadonlyMap<Asset, Decimal> | null): Portion => {
      const changes = now === null ? [] : changesBetween(prices, now);
      note(changes, start);
      const portion = {
        hours: [...hours.closed, ...(now === null ? [] : hours.running(changes, isFirstOfHour, prices))],
        days: [...days.closed, ...(now === null ? [] : days.running(changes, isFirstOfDay, prices))],
        firsts,
        doneHour,
      };
      hours.closed.length = 0;
      days.closed.length = 0;
      firsts = [];
      doneHour = null;
      return portion;
    },
  };
}
