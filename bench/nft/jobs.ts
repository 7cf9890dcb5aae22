import type { ChainConfig } from "../../runtime/config/config.ts";
import { createComputePricesJob } from "../../runtime/domains/prices/jobs/compute-prices/job.ts";
import { createAnalyzeTables } from "../../runtime/jobs/analyze-tables.ts";
import type { Job } from "../../runtime/jobs/job.ts";

/** What an indexing process does beside its loop for what is asked of collections, and without a node. */
export const jobsOf = (chain: ChainConfig): readonly Job[] => [createComputePricesJob(chain), createAnalyzeTables()];
