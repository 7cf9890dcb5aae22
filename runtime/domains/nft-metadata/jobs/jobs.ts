import type { ChainConfig } from "../../../config/config.ts";
import type { Job } from "../../../jobs/job.ts";
import { createQueueNewTokensJob } from "./queue-new-tokens.ts";
import { createQueueRefreshesJob } from "./queue-refreshes.ts";

/**
 * The jobs that queue tokens for reading. A chain with uncached metadata has none. If caching is enabled later, the jobs continue where they stopped, or
 * start with the first token.
 */
export const createMetadataJobs = ({ nfts }: Pick<ChainConfig, "nfts">): Job[] =>
  nfts.metadata === "cached" ? [createQueueNewTokensJob(), createQueueRefreshesJob()] : [];
