import type { ChainConfig } from "../../runtime/config/config.ts";
import { createComputePricesJob } from "../../runtime/domains/prices/jobs/compute-prices/job.ts";
import { createAnalyzeTables } from "../../runtime/jobs/analyze-tables.ts";
import type { Job } from "../../runtime/jobs/job.ts";

/** The background jobs that the NFT endpoints depend on and that need no node. */
export const jobsOf = (chain: ChainConfig): readonly Job[] => [createComputePricesJob(chain), createAnalyzeTables()];
