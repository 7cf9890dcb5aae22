import type { ChainConfig } from "../../runtime/config/config.ts";
import { createRollUpJobs } from "../../runtime/domains/dex/jobs/roll-up/jobs.ts";
import { createComputePricesJob } from "../../runtime/domains/prices/jobs/compute-prices/job.ts";
import { createAnalyzeTables } from "../../runtime/jobs/analyze-tables.ts";
import type { Job } from "../../runtime/jobs/job.ts";

/** The exchanges' background jobs that need no node, in dependency order. */
export const jobsOf = (chain: ChainConfig): readonly Job[] => [
  createComputePricesJob(chain),
  ...createRollUpJobs(chain),
  createAnalyzeTables(),
];
