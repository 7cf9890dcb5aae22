import type { ServedCommunity } from "./serve.ts";

/** A lending event in a response with `with-lending`. */
export type ServedEvent = Readonly<Record<string, unknown>>;

/** The lending events in transaction responses. */
export const servedEvents = async (served: ServedCommunity, hashes: Iterable<string>): Promise<ServedEvent[]> => {
  const events: ServedEvent[] = [];
  for (const hash of new Set(hashes)) {
    const items = await served.itemsOf(`transaction_v2/${hash}/?with-lending=true&no-logs=true`);
    events.push(...items.flatMap(({ lending_details }) => lending_details as ServedEvent[]));
  }
  return events;
};

/** Converts an amount in smallest units to whole tokens; null remains null. */
export const toWholeTokens = (amount: bigint | null, decimals: number): number | null =>
  amount === null ? null : Number(`${amount}e-${decimals}`);

/** The given fields of an event. */
export const pick = (event: ServedEvent, fields: readonly string[]): ServedEvent =>
  Object.fromEntries(fields.map((field) => [field, event[field]]));
