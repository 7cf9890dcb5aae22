import type { PoolFamily } from "../../events/decoded-block.ts";

/** The numbers of `act` in the tables. */
export const acts = { swap: 0, add: 1, remove: 2 } as const;

/** The numbers of `family` in the tables. */
export const families: Readonly<Record<PoolFamily, number>> = { "xy=k": 0, concentrated: 1 };
