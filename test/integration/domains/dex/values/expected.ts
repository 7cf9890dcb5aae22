import { expect } from "vitest";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import type { ResponseData } from "../../pools/serve-pools.ts";
import { readContract, uniswapV2 } from "../../pools/support.ts";
import { exactValue, secondsPerDay, secondsPerHour } from "../support.ts";
import { api, chain, headTime, logs, pairs, priced, sides, times } from "./setup.ts";

/** The end of the last closed hour. */
export const closedEnd = () => Math.floor(headTime() / secondsPerHour) * secondsPerHour;
/** The hour that ends at a time or contains the second before it. */
export const hourOf = (end: number): number => Math.floor((end - 1) / secondsPerHour);

/** The swaps in pools within a time range. */
export const swapsOf = (selected: readonly Address[], from: number, to: number) =>
  logs.filter(
    ({ name, address, block }) => name === "Swap" && selected.includes(address) && (times[block] ?? 0) >= from && (times[block] ?? 0) < to,
  );
/** The sum of amounts. */
export const total = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);
/** The last block before a time. */
export const heightBefore = (time: number): number => times.filter((blockTime) => blockTime < time).length - 1;
/** Reads a pool's reserves from the node at a height; both are 0 before its creation. */
export const reservesAt = async (pair: Address, height: number): Promise<readonly [bigint, bigint]> => {
  const code = height < 0 ? "0x" : await chain.rpc<string>("eth_getCode", [pair, `0x${height.toString(16)}`]);
  if (code === "0x") return [0n, 0n];
  const [first, second] = await readContract<readonly [bigint, bigint, number]>(chain, uniswapV2.pair(), pair, "getReserves", [], height);
  return [first, second];
};
/** Returns the value of a pool's swaps at an hour's prices: of the amounts in, or of the amounts of the only token with a price; null if there is none. */
export const poolVolume = (pair: Address, from: number, to: number, hour = hourOf(to)): bigint | null => {
  const swaps = swapsOf([pair], from, to);
  if (swaps.length === 0) return 0n;
  const sumOf = (argument: string) => total(swaps.map(({ args }) => args[argument] as bigint));
  const [first, second] = (sides.get(pair) ?? []).map((token) => priced.get(token));
  const [in0, in1] = [exactValue(sumOf("amount0In"), first, hour), exactValue(sumOf("amount1In"), second, hour)];
  if (in0 !== null && in1 !== null) return in0 + in1;
  return in0 === null
    ? exactValue(sumOf("amount1In") + sumOf("amount1Out"), second, hour)
    : exactValue(sumOf("amount0In") + sumOf("amount0Out"), first, hour);
};
/** The value of a pool's reserves at a block, at the prices of an hour; null if a token has no price. */
export const poolLiquidity = async (pair: Address, height: number, hour: number): Promise<bigint | null> => {
  const reserves = await reservesAt(pair, height);
  const values = (sides.get(pair) ?? []).map((token, side) => exactValue(reserves[side] ?? 0n, priced.get(token), hour));
  return values.some((value) => value === null) ? null : total(values.map((value) => value ?? 0n));
};
/** The price of an asset in an hour, in dollars; null if unknown. */
export const priceOf = (asset: string, hour: number): number | null => {
  const cents = priced.get(asset)?.centsAt(hour) ?? null;
  return cents === null ? null : Number(cents) / 100;
};
/** Returns the fees on a volume at 3,000 ppm. */
export const feesOf = (value: bigint | null): number | null => (value === null ? null : Number(`${value * 3_000n}e-66`));
/** The pools with a swap in the seven days before a time. */
export const activePools = (end: number) => pairs.filter((pair) => swapsOf([pair], end - 7 * secondsPerDay, end).length > 0);
/** Reads a list page by page, and returns all its items. */
export const allPages = async (path: string, size: number): Promise<ResponseData[]> => {
  const items: ResponseData[] = [];
  for (let number = 0; ; number += 1) {
    const data = await api.get(`${path}?page-size=${size}&page-number=${number}`);
    items.push(...data.items);
    if (!data.pagination.has_more) {
      expect(data.pagination.total_count).toBe(items.length);
      return items;
    }
    expect(data.items).toHaveLength(size);
  }
};
/** The date of a day's start. */
export const dateOf = (start: number) => new Date(start * 1000).toISOString().slice(0, 10);
/** The last midnights before a time, oldest first. */
export const midnights = (end: number, count: number): number[] =>
  Array.from({ length: count }, (_, position) => (Math.floor((end - 1) / secondsPerDay) - count + 1 + position) * secondsPerDay);
