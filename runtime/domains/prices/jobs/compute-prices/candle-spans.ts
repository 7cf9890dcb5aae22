import type { Asset } from "../../engine/assets.ts";
import { addChanges, type Candle, type Candles, copyCandles, isSameCandle } from "../../engine/candles.ts";
import type { PriceChange } from "../../engine/prices.ts";

/** A candle of an hour or a day (since 1970) to write. */
export interface CandleRow {
  readonly asset: Asset;
  readonly span: number;
  readonly candle: Candle;
  /** The time at which the span ends; null while it is open. */
  readonly end: number | null;
}

/** A candle written while its span was open that must be deleted. */
export interface Retraction {
  readonly asset: Asset;
  readonly span: number;
}

/** Candles of one kind of span. */
export interface CandleRows {
  readonly rows: readonly CandleRow[];
  readonly retracted: readonly Retraction[];
}

/** Builds the candles of one span length: the open span's candles, and the written versions of them. */
export const createCandleSpans = (seconds: number) => {
  let span: number | null = null;
  let isFirst = false;
  let candles: Candles = new Map();
  const written = new Map<Asset, Candle>();
  let rows: CandleRow[] = [];
  let retracted: Retraction[] = [];
  /** Retracts written candles that are not among the current ones. */
  const retractOthers = (current: Candles): void => {
    for (const asset of written.keys()) {
      if (current.has(asset)) continue;
      retracted.push({ asset, span: span as number });
      written.delete(asset);
    }
  };
  return {
    pendingRowCount: (): number => rows.length,
    /** Advances to a time; completes the open span if it has ended by that time. */
    advance: (time: number): void => {
      const next = Math.floor(time / seconds);
      if (next === span) return;
      if (span !== null) {
        const end = (span + 1) * seconds;
        for (const [asset, candle] of candles) rows.push({ asset, span, candle, end });
        retractOthers(candles);
      }
      span = next;
      isFirst = true;
      candles = new Map();
      written.clear();
    },
    /** Applies the price changes of a closed bucket. */
    close: (changes: readonly PriceChange[]): void => {
      addChanges(candles, changes, isFirst);
      isFirst = false;
    },
    /** Takes the completed candles. If changes are passed, also takes the candles of the open span that differ from the written ones after the changes. */
    takeRows: (changes: readonly PriceChange[] | null): CandleRows => {
      if (changes !== null && span !== null) {
        const current = copyCandles(candles);
        addChanges(current, changes, isFirst);
        retractOthers(current);
        for (const [asset, candle] of current) {
          const before = written.get(asset);
          if (before !== undefined && isSameCandle(before, candle)) continue;
          written.set(asset, candle);
          rows.push({ asset, span, candle, end: null });
        }
      }
      const result = { rows, retracted };
      rows = [];
      retracted = [];
      return result;
    },
  };
};
