import type { ChainConfig } from "../../runtime/config/config.ts";
import { createPriceChore } from "../../runtime/domains/prices/making/chore.ts";
import { createAnalyzeTables } from "../../runtime/jobs/analyze-tables.ts";
import type { Chore } from "../../runtime/jobs/chore.ts";

/** What an indexing process does beside its loop for what is asked of collections, and without a node. */
export const choresOf = (chain: ChainConfig): readonly Chore[] => [createPriceChore(chain), createAnalyzeTables()];
