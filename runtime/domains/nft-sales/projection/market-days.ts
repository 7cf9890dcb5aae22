import type { Row } from "../../../indexer/projection.ts";
import type { State } from "../../../indexer/state/state.ts";
import { compare, type Decimal, parseDecimal, toText } from "../../../lib/decimal.ts";
import type { Address } from "../../../lib/hex.ts";

/** The key of a day's sums. */
export interface MarketDayKey {
  readonly collection: Address;
  readonly day: number;
  readonly marketplace: Address;
  readonly paymentToken: Address;
}

interface Sums {
  readonly sales: number;
  readonly washSales: number;
  readonly amount: bigint;
  readonly washAmount: bigint;
  readonly lowest: Decimal | null;
}

interface MarketDay {
  readonly key: MarketDayKey;
  /** The block that set the sums; null if the day has no sums yet. */
  since: number | null;
  previous: Sums;
  sums: Sums;
}

const noSums: Sums = { sales: 0, washSales: 0, amount: 0n, washAmount: 0n, lowest: null };

/** Accumulates daily sums over a batch of blocks: a block with sales ends the period of the previous sums. */
export const createMarketDays = (state: State) => {
  const days = new Map<string, MarketDay>();
  const inBlock = new Set<MarketDay>();
  const touched = new Set<MarketDay>();
  const periods: Row[] = [];

  const dayOf = (key: MarketDayKey): MarketDay => {
    const text = `${key.collection}${key.day}|${key.marketplace}${key.paymentToken}`;
    const existing = days.get(text);
    if (existing !== undefined) return existing;
    const stored = state.get("days", key.collection, key.day, key.marketplace, key.paymentToken);
    const sums = stored === undefined ? noSums : sumsOf(stored);
    const day = { key, since: stored === undefined ? null : Number(stored.since_block), previous: sums, sums };
    days.set(text, day);
    return day;
  };

  return {
    periods,
    add: (key: MarketDayKey, price: bigint | null, unitPrice: Decimal | null, isWash: boolean): void => {
      const day = dayOf(key);
      if (!inBlock.has(day)) day.previous = day.sums;
      inBlock.add(day);
      touched.add(day);
      const { sales, washSales, amount, washAmount, lowest } = day.sums;
      const isLower = !isWash && unitPrice !== null && (lowest === null || compare(unitPrice, lowest) < 0);
      day.sums = {
        sales: sales + 1,
        washSales: washSales + (isWash ? 1 : 0),
        amount: amount + (price ?? 0n),
        washAmount: washAmount + (isWash ? (price ?? 0n) : 0n),
        lowest: isLower ? unitPrice : lowest,
      };
    },
    endBlock: (block: number): void => {
      for (const day of inBlock) {
        if (day.since !== null && day.since < block) {
          periods.push({ ...keyRow(day.key), from_block: day.since, to_block: block - 1, ...sumsRow(day.previous) });
        }
        day.since = block;
      }
      inBlock.clear();
    },
    latest: (): Row[] => [...touched].map(({ key, since, sums }) => ({ ...keyRow(key), since_block: since, ...sumsRow(sums) })),
  };
};

const keyRow = ({ collection, day, marketplace, paymentToken }: MarketDayKey) => ({
  collection,
  day,
  marketplace,
  payment_token: paymentToken,
});

const sumsRow = ({ sales, washSales, amount, washAmount, lowest }: Sums) => ({
  sales,
  wash_sales: washSales,
  amount,
  wash_amount: washAmount,
  lowest: lowest === null ? null : toText(lowest),
});

const sumsOf = (row: Row): Sums => ({
  sales: Number(row.sales),
  washSales: Number(row.wash_sales),
  amount: BigInt(String(row.amount)),
  washAmount: BigInt(String(row.wash_amount)),
  lowest: row.lowest === null ? null : parseDecimal(String(row.lowest)),
});
