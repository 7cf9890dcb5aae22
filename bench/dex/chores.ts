import type { ChainConfig } from "../../runtime/config/config.ts";
import { createAnalyzeTables } from "../../runtime/jobs/analyze-tables.ts";
import type { Chore } from "../../runtime/jobs/chore.ts";

/** What an indexing process does for exchanges beside its loop, in the order in which one needs the other, and without a node. */
export const choresOf = (_chain: ChainConfig): readonly Chore[] => [createAnalyzeTables()];
