import type { ChainConfig } from "../../../config/config.ts";
import type { Chore } from "../../../jobs/chore.ts";
import { createQueueingChore } from "./queue-new-tokens.ts";
import { createRefreshingChore } from "./queue-refreshes.ts";

/** What queues tokens whose metadata is to be read; nothing on a chain whose metadata is not kept. One that is kept later begins where it was, or with its first token. */
export const createMetadataChores = ({ nfts }: Pick<ChainConfig, "nfts">): Chore[] =>
  nfts.metadata === "cached" ? [createQueueingChore(), createRefreshingChore()] : [];
