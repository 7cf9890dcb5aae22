import { baseReadsLoad } from "../ingest/base-reads.ts";
import { contractStandardsLoad } from "../ingest/contract-standards.ts";
import type { StateLoad } from "../projection.ts";
import type { FollowingTable } from "../reorg/roll-back.ts";

/** Answers of the node that folds start from, remembered beside the rows of projections. */
export const readingLoads: readonly StateLoad[] = [baseReadsLoad, contractStandardsLoad];

/** Their tables: each row goes with the block that made it necessary. */
export const readingTables: readonly FollowingTable[] = readingLoads.map(({ table }) => ({ name: table, blockColumn: "block_number" }));
