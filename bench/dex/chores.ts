import type { ChainConfig } from "../../runtime/config/config.ts";
import { createRollUpChores } from "../../runtime/domains/dex/roll-ups/chores.ts";
import { createPriceChore } from "../../runtime/domains/prices/making/chore.ts";
import { createAnalyzeTables } from "../../runtime/jobs/analyze-tables.ts";
import type { Chore } from "../../runtime/jobs/chore.ts";

/** What an indexing process does for exchanges beside its loop, in the order in which one needs the other, and without a node. */
export const choresOf = (chain: ChainConfig): readonly Chore[] => [
  createPriceChore(chain),
  ...createRollUpChores(chain),
  createAnalyzeTables(),
];
