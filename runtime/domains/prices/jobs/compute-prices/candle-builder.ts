import type { Decimal } from "../../../../lib/decimal.ts";
import { secondsOfDay, secondsOfHour } from "../../../../lib/time.ts";
import type { Asset } from "../../engine/assets.ts";
import { type Candle, type Candles, changesBetween, copyOf, isSameCandle, takeIn } from "../../engine/candles.ts";

/** A candle of an hour or a day (since 1970) that is to be written. */
export interface CandleRow {
  readonly asset: Asset;
  readonly span: number;
  readonly candle: Candle;
  /** The time at which the span is over; null while it runs. */
  readonly end: number | null;
}

/** Something that was written while its span ran, and did not come true. */
export interface Withdrawal {
  readonly asset: Asset;
  readonly span: number;
}

/** An asset that had no price before: the hour of the first one, and when that is over; null while it runs. */
export interface First {
  readonly asset: Asset;
  readonly hour: number;
  readonly end: number | null;
}

/** What is to be written, and the last hour that is done with it. */
export interface Portion {
  readonly hours: Spoken;
  readonly days: Spoken;
  readonly firsts: { readonly rows: readonly First[]; readonly withdrawn: readonly Asset[] };
  readonly doneHour: number | null;
}

/** Candles of one kind of span. */
export interface Spoken {
  readonly rows: readonly CandleRow[];
  readonly withdrawn: readonly Withdrawal[];
}

type Changes = ReturnType<typeof changesBetween>;

/** One kind of span: its candles while it runs, and what was written of them. */
const createSpans = (seconds: number) => {
  let span: number | null = null;
  let isFirst = false;
  let candles: Candles = new Map();
  const written = new Map<Asset, Candle>();
  let rows: CandleRow[] = [];
  let withdrawn: Withdrawal[] = [];
  /** Forgets what was written and is not among the candles. */
  const withdraw = (now: Candles): void => {
    for (const asset of written.keys()) {
      if (now.has(asset)) continue;
      withdrawn.push({ asset, span: span as number });
      written.delete(asset);
    }
  };
  return {
    waiting: (): number => rows.length,
    /** Comes to a time; a span that is over then is put aside. */
    enter: (time: number): void => {
      const next = Math.floor(time / seconds);
      if (next === span) return;
      if (span !== null) {
        const end = (span + 1) * seconds;
        for (const [asset, candle] of candles) rows.push({ asset, span, candle, end });
        withdraw(candles);
      }
      span = next;
      isFirst = true;
      candles = new Map();
      written.clear();
    },
    /** The changes with which a quarter of the span closed; none where it changed nothing. */
    close: (changes: Changes): void => {
      takeIn(candles, changes, isFirst);
      isFirst = false;
    },
    /** What ended; and the running span as it would be if it ended with some changes, where it is not written so yet. */
    takeOut: (changes: Changes | null): Spoken => {
      if (changes !== null && span !== null) {
        const now = copyOf(candles);
        takeIn(now, changes, isFirst);
        withdraw(now);
        for (const [asset, candle] of now) {
          const before = written.get(asset);
          if (before !== undefined && isSameCandle(before, candle)) continue;
          written.set(asset, candle);
          rows.push({ asset, span, candle, end: null });
        }
      }
      const spoken = { rows, withdrawn };
      rows = [];
      withdrawn = [];
      return spoken;
    },
  };
};

/** The assets that had a price, and what was written of those whose first hour runs. */
const createFirsts = (known: Set<Asset>) => {
  /** Of the running hour. */
  let fresh: First[] = [];
  let rows: First[] = [];
  const written = new Map<Asset, number>();
  return {
    note: (changes: Changes, hour: number): void => {
      for (const { asset } of changes) {
        if (known.has(asset)) continue;
        known.add(asset);
        fresh.push({ asset, hour, end: (hour + 1) * secondsOfHour });
      }
    },
    endHour: (): void => {
      // One by one: more arguments than a call may have can come with a file of an operator's.
      for (const first of fresh) rows.push(first);
      fresh = [];
    },
    takeOut: (changes: Changes | null, hour: number): Portion["firsts"] => {
      for (const { asset } of rows) written.delete(asset);
      const running = changes === null ? fresh : [...fresh, ...changes.filter(({ asset }) => !known.has(asset))];
      const now = new Set(running.map(({ asset }) => asset));
      const withdrawn = [...written.keys()].filter((asset) => !now.has(asset));
      for (const asset of withdrawn) written.delete(asset);
      if (changes !== null) {
        for (const asset of now) {
          if (written.get(asset) === hour) continue;
          written.set(asset, hour);
          rows.push({ asset, hour, end: null });
        }
      }
      const portion = { rows, withdrawn };
      rows = [];
      return portion;
    },
  };
};

/** The times at which what is in a portion was over. */
export const endsIn = ({ hours, days, firsts, doneHour }: Portion): number[] => {
  const ends = new Set([...hours.rows, ...days.rows, ...firsts.rows].flatMap(({ end }) => end ?? []));
  if (doneHour !== null) ends.add((doneHour + 1) * secondsOfHour);
  return [...ends];
};

/** Gathers prices, quarter of an hour by quarter, to candles of hours and days. `known`: what had a price before. */
export function createPriceLedger(standing: ReadonlyMap<Asset, Decimal>, known: Set<Asset>) {
  const hours = createSpans(secondsOfHour);
  const days = createSpans(secondsOfDay);
  const firsts = createFirsts(known);
  let prices = standing;
  let hour: number | null = null;
  let doneHour: number | null = null;

  return {
    /** How many rows wait to be written. */
    waiting: (): number => hours.waiting() + days.waiting(),
    /** Comes to a quarter by its first second: what ended before it is put aside. */
    enter: (start: number): void => {
      hours.enter(start);
      days.enter(start);
      const next = Math.floor(start / secondsOfHour);
      if (hour !== null && next !== hour) {
        firsts.endHour();
        doneHour = next - 1;
      }
      hour = next;
    },
    /** The prices of the quarter that was entered; null where they are those of the one before. */
    close: (next: ReadonlyMap<Asset, Decimal> | null): void => {
      const changes = next === null ? [] : changesBetween(prices, next);
      firsts.note(changes, hour as number);
      hours.close(changes);
      days.close(changes);
      if (next !== null) prices = next;
    },
    /** What ended, to be written; and what runs, as it stands with the prices of now, where they are told. */
    takeOut: (now: ReadonlyMap<Asset, Decimal> | null): Portion => {
      const changes = now === null ? null : changesBetween(prices, now);
      const portion = {
        hours: hours.takeOut(changes),
        days: days.takeOut(changes),
        firsts: firsts.takeOut(changes, hour as number),
        doneHour,
      };
      doneHour = null;
      return portion;
    },
  };
}
