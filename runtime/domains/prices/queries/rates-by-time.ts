import type { Currency } from "../../../../generated/requests.gen.ts";
import type { Address } from "../../../lib/hex.ts";
import { forEachInTurns } from "../../../lib/turns.ts";
import type { PriceLookup, PriceQueries } from "./price.ts";
import { hourOf, type Rate } from "./rates.ts";

/** The rates of tokens at the times of a list's rows, like `ratesAtTimes`, with one lookup per token and hour. */
export async function ratesByTime(
  { ratesAtTimes }: Pick<PriceQueries, "ratesAtTimes">,
  chainId: number,
  currency: Currency,
  lookups: Iterable<PriceLookup>,
): Promise<(asset: Address, time: number) => Rate> {
  const distinct: PriceLookup[] = [];
  /**
   * The positions of lookups in `distinct` by asset and hour: a list of 100,000 rows has few distinct ones, and building string keys would take most of the
   * time.
   */
  const positions = new Map<Address, Map<number, number>>();
  await forEachInTurns(lookups, (lookup) => {
    const hour = hourOf(lookup.time);
    const hours = positions.get(lookup.asset) ?? new Map<number, number>();
    if (hours.size === 0) positions.set(lookup.asset, hours);
    if (!hours.has(hour)) hours.set(hour, distinct.push(lookup) - 1);
  });
  const rates = await ratesAtTimes(chainId, currency, distinct);
  return (asset, time) => rates[positions.get(asset)?.get(hourOf(time)) ?? -1] ?? null;
}
