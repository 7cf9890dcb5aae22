import { createQueueNewTokensJob } from "../../../../runtime/domains/nft-metadata/jobs/queue-new-tokens.ts";
import { createQueueRefreshesJob } from "../../../../runtime/domains/nft-metadata/jobs/queue-refreshes.ts";
import { chainId, type MetadataIndex } from "./metadata-index.ts";

/** Returns a loop of the queueing jobs whose transactions fail once `isStopped` returns true. */
export const createQueueingLoop = async (index: MetadataIndex, isStopped: () => boolean) => {
  const { database } = index.testDatabase;
  const [head] = await database.query<{ number: number; hash: `0x${string}` }>(
    "SELECT number, hash FROM blocks ORDER BY number DESC LIMIT 1",
  );
  const context = {
    chainId,
    database,
    clock: () => index.now,
    runExclusiveKeepingCache: <T>(work: (client: never, indexed: never) => Promise<T>): Promise<T> => {
      if (isStopped()) throw new Error("stopped");
      return database.transaction((client) => work(client as never, head as never));
    },
  };
  return async () => {
    for (;;) for (const job of [createQueueNewTokensJob(), createQueueRefreshesJob()]) await job.run(context as never);
  };
};
