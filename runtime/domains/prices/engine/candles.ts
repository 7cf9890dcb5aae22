import { compare, type Decimal } from "../../../lib/decimal.ts";
import type { Asset } from "./assets.ts";
import { isSamePrice, type PriceChange } from "./prices.ts";

/** The first, highest, lowest and last known price of an hour or a day. */
export interface Candle {
  readonly open: Decimal | null;
  readonly high: Decimal | null;
  readonly low: Decimal | null;
  readonly close: Decimal | null;
}

/** Candles of an open span. */
export type Candles = Map<Asset, { -readonly [Part in keyof Candle]: Candle[Part] }>;

/** Applies price changes to the candles of a span. `isFirst` means that they are the first changes of the span. */
export function addChanges(candles: Candles, changes: readonly PriceChange[], isFirst: boolean): void {
  for (const { asset, before, after } of changes) {
    let candle = candles.get(asset);
    if (candle === undefined) {
      candle = flatCandle(isFirst ? after : before);
      candles.set(asset, candle);
    }
    candle.open ??= after;
    candle.high = extremeOf(candle.high, after, 1);
    candle.low = extremeOf(candle.low, after, -1);
    candle.close = after;
  }
}

/** An independent copy of candles. */
export const copyCandles = (candles: Candles): Candles => new Map(Array.from(candles, ([asset, candle]) => [asset, { ...candle }]));

/** Whether two candles are equal by value. */
export const isSameCandle = (left: Candle, right: Candle): boolean =>
  isSamePrice(left.open, right.open) &&
  isSamePrice(left.high, right.high) &&
  isSamePrice(left.low, right.low) &&
  isSamePrice(left.close, right.close);

const flatCandle = (price: Decimal | null): Candle => ({ open: price, high: price, low: price, close: price });

const extremeOf = (left: Decimal | null, right: Decimal | null, sign: 1 | -1): Decimal | null => {
  if (left === null || right === null || left === right) return left ?? right;
  return compare(left, right) * sign >= 0 ? left : right;
};
