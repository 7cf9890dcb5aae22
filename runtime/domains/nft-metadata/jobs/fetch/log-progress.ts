import type { Queryable } from "../../../../database/database.ts";

/** The queue whose length is logged, and where. */
export interface BacklogDeps {
  readonly chainId: number;
  readonly chainName: string;
  readonly database: Queryable;
  readonly logger: { info(message: string): void };
}

/** The interval of the messages. */
export const backlogMilliseconds = 30_000;
/** A shorter queue is not logged. */
const minTokens = 1_000;

/** Logs how many tokens wait for their metadata, if they are many. */
export const logBacklog = async ({ chainId, chainName, database, logger }: BacklogDeps): Promise<void> => {
  // Reads the queue's part of the primary key: tens of milliseconds for a million tokens.
  const [row] = await database.query<{ count: number }>("SELECT count(*) FROM nft_reads WHERE chain_id = $1", [chainId]);
  if (row !== undefined && row.count >= minTokens) logger.info(`${chainName}: ${row.count} tokens wait for their metadata.`);
};
