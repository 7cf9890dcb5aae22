import type { Currency } from "../../../../generated/requests.gen.ts";
import type { Address } from "../../../lib/hex.ts";
import { secondsOfHour } from "../../../lib/time.ts";
import type { PriceAsk, PriceQueries, Rate } from "./price.ts";

/** What tokens were worth at the times of the rows of a list: as `ratesAtTimes`, each token and hour asked for once. */
export async function ratesByTime(
  { ratesAtTimes }: Pick<PriceQueries, "ratesAtTimes">,
  chainId: number,
  currency: Currency,
  asks: readonly PriceAsk[],
): Promise<(asset: Address, time: number) => Rate> {
  const distinct = new Map(asks.map((ask) => [keyOf(ask.asset, ask.time), ask]));
  const rates = await ratesAtTimes(chainId, currency, [...distinct.values()]);
  const byKey = new Map([...distinct.keys()].map((key, position) => [key, rates[position] ?? null]));
  return (asset, time) => byKey.get(keyOf(asset, time)) ?? null;
}

const keyOf = (asset: Address, time: number): string => `${asset}:${Math.floor(time / secondsOfHour)}`;
