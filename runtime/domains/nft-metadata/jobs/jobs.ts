import type { ChainConfig } from "../../../config/config.ts";
import type { Job } from "../../../jobs/job.ts";
import { createQueueNewTokensJob } from "./queue-new-tokens.ts";
import { createQueueRefreshesJob } from "./queue-refreshes.ts";

/** What queues tokens whose metadata is to be read; nothing on a chain whose metadata is not kept. One that is kept later begins where it was, or with its first token. */
export const createMetadataJobs = ({ nfts }: Pick<ChainConfig, "nfts">): Job[] =>
  nfts.metadata === "cached" ? [createQueueNewTokensJob(), createQueueRefreshesJob()] : [];
