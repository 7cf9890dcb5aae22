import { compare, type Decimal } from "../../../lib/decimal.ts";
import type { Asset } from "./assets.ts";

/** Known prices by asset: US dollars per smallest unit of a token or per unit of a currency. */
export type Prices = ReadonlyMap<Asset, Decimal>;

/** A change in an asset's price; an unknown price is null. */
export interface PriceChange {
  readonly asset: Asset;
  readonly before: Decimal | null;
  readonly after: Decimal | null;
}

/** Whether two prices are equal by value: a price read from the database may have a different scale than the written price. */
export const isSamePrice = (left: Decimal | null, right: Decimal | null): boolean =>
  left === right ||
  (left !== null && right !== null && (left.scale === right.scale ? left.digits === right.digits : compare(left, right) === 0));

/** The differences between two sets of prices; an asset missing from the later set has become unknown. */
export function changesBetween(before: Prices, after: Prices): PriceChange[] {
  const changes: PriceChange[] = [];
  for (const [asset, price] of after) {
    const last = before.get(asset) ?? null;
    if (!isSamePrice(last, price)) changes.push({ asset, before: last, after: price });
  }
  for (const [asset, last] of before) if (!after.has(asset)) changes.push({ asset, before: last, after: null });
  return changes;
}
