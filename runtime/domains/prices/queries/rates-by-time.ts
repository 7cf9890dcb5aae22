import type { Currency } from "../../../../generated/requests.gen.ts";
import type { Address } from "../../../lib/hex.ts";
import type { PriceLookup, PriceQueries } from "./price.ts";
import { hourOf, type Rate } from "./rates.ts";

/** The rates of tokens at the times of a list's rows, like `ratesAtTimes`, with one lookup per token and hour. */
export async function ratesByTime(
  { ratesAtTimes }: Pick<PriceQueries, "ratesAtTimes">,
  chainId: number,
  currency: Currency,
  lookups: readonly PriceLookup[],
): Promise<(asset: Address, time: number) => Rate> {
  const distinct = new Map(lookups.map((lookup) => [keyOf(lookup.asset, lookup.time), lookup]));
  const rates = await ratesAtTimes(chainId, currency, [...distinct.values()]);
  const byKey = new Map([...distinct.keys()].map((key, position) => [key, rates[position] ?? null]));
  return (asset, time) => byKey.get(keyOf(asset, time)) ?? null;
}

const keyOf = (asset: Address, time: number): string => `${asset}:${hourOf(time)}`;
