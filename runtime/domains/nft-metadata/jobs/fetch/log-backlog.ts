import type { Queryable } from "../../../../database/database.ts";

/** The chain for which the queue length is logged, and the logger. */
export interface BacklogDeps {
  readonly chainId: number;
  readonly chainName: string;
  readonly database: Queryable;
  readonly logger: { info(message: string): void };
}

/** The interval between log messages. */
export const backlogLogIntervalMilliseconds = 30_000;
/** Min length of the queue for a log message. */
const minTokens = 1_000;

/** Logs the number of tokens waiting for their metadata if it is large. */
export const logBacklog = async ({ chainId, chainName, database, logger }: BacklogDeps): Promise<void> => {
  // Reads the queue's part of the primary key: tens of milliseconds for a million tokens.
  const [row] = await database.query<{ count: number }>("SELECT count(*) FROM nft_reads WHERE chain_id = $1", [chainId]);
  if (row !== undefined && row.count >= minTokens) logger.info(`${chainName}: ${row.count} tokens are waiting for their metadata.`);
};
