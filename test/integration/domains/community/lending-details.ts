import type { ServedCommunity } from "./serve.ts";

/** A lending event as `with-lending` shows it. */
export type ShownEvent = Readonly<Record<string, unknown>>;

/** The lending events of transactions by their hashes, as responses show them. */
export const shownEvents = async (served: ServedCommunity, hashes: Iterable<string>): Promise<ShownEvent[]> => {
  const shown: ShownEvent[] = [];
  for (const hash of new Set(hashes)) {
    const items = await served.itemsOf(`transaction_v2/${hash}/?with-lending=true&no-logs=true`);
    shown.push(...items.flatMap(({ lending_details }) => lending_details as ShownEvent[]));
  }
  return shown;
};

/** An amount of smallest units in whole tokens; null for none. */
export const whole = (amount: bigint | null, decimals: number): number | null =>
  amount === null ? null : Number(`${amount}e-${decimals}`);

/** The fields of an event that an expectation has. */
export const pick = (event: ShownEvent, fields: readonly string[]): ShownEvent =>
  Object.fromEntries(fields.map((field) => [field, event[field]]));
