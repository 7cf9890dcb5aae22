import { compare, type Decimal } from "../../../lib/decimal.ts";
import type { Asset } from "./assets.ts";
import { isSame } from "./model.ts";

/** What a price did in an hour or a day: the first and the last one, the highest and the lowest of those that are known. */
export interface Candle {
  readonly open: Decimal | null;
  readonly high: Decimal | null;
  readonly low: Decimal | null;
  readonly close: Decimal | null;
}

/** Candles that grow. */
export type Candles = Map<Asset, { -readonly [Part in keyof Candle]: Candle[Part] }>;
type Prices = ReadonlyMap<Asset, Decimal>;

/** A price that stood before and one that follows. */
interface Change {
  readonly asset: Asset;
  readonly before: Decimal | null;
  readonly now: Decimal | null;
}

/** What differs between two lists of prices; of an asset that the later one has not, the price is not known any more. */
export function changesBetween(before: Prices, now: Prices): Change[] {
  const changes: Change[] = [];
  for (const [asset, price] of now) {
    const last = before.get(asset) ?? null;
    if (!isSame(last, price)) changes.push({ asset, before: last, now: price });
  }
  for (const [asset, last] of before) if (!now.has(asset)) changes.push({ asset, before: last, now: null });
  return changes;
}

/** Takes changes into the candles of a span. `isFirst`: nothing of the span was before them. */
export function takeIn(candles: Candles, changes: readonly Change[], isFirst: boolean): void {
  for (const { asset, before, now } of changes) {
    let candle = candles.get(asset);
    if (candle === undefined) {
      candle = flat(isFirst ? now : before);
      candles.set(asset, candle);
    }
    candle.open ??= now;
    candle.high = outer(candle.high, now, 1);
    candle.low = outer(candle.low, now, -1);
    candle.close = now;
  }
}

/** Candles that grow by themselves from now on. */
export const copyOf = (candles: Candles): Candles => new Map(Array.from(candles, ([asset, candle]) => [asset, { ...candle }]));

/** A span in which a price stood still. */
const flat = (price: Decimal | null): Candle => ({ open: price, high: price, low: price, close: price });

export const isSameCandle = (left: Candle, right: Candle): boolean =>
  isSame(left.open, right.open) && isSame(left.high, right.high) && isSame(left.low, right.low) && isSame(left.close, right.close);

const outer = (left: Decimal | null, right: Decimal | null, sign: 1 | -1): Decimal | null => {
  if (left === null || right === null || left === right) return left ?? right;
  return compare(left, right) * sign >= 0 ? left : right;
};
