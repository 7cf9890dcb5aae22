import type { CallOutcome } from "../../../../chain/source.ts";
import { bytes } from "../../../../database/codecs.ts";
import type { DatabaseClient, Queryable } from "../../../../database/database.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import type { JobContext } from "../../../../jobs/job.ts";
import { type BalanceKey, decodeBaseBalance } from "../../projection/base-reads.ts";
import { readBalancesAt } from "../read-balances.ts";

/** The last indexed block; null before the first one. Served by the primary key of blocks. */
export const indexedHead = async ({ database, chainId }: Pick<JobContext, "database" | "chainId">): Promise<IndexedBlock | null> => {
  const rows = await database.query<IndexedBlock>("SELECT number, hash FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1", [
    chainId,
  ]);
  return rows[0] ?? null;
};

/** Whether the node still has an indexed block; only then does the state that it returned for this height belong to the block. */
export const isCanonical = async ({ source }: Pick<JobContext, "source">, { number, hash }: IndexedBlock): Promise<boolean> =>
  (await source.hashesOf([number]))[0] === hash;

/**
 * Writes values that the node returned as of a block, between two batches. If the node or the index no longer has the block, or this process is not the leader,
 * writes nothing and returns null.
 */
export const writeIfCanonical = async <T>(
  context: JobContext,
  head: IndexedBlock,
  work: (client: DatabaseClient) => Promise<T>,
  write = context.runExclusive,
): Promise<T | null> => {
  if (!(await isCanonical(context, head))) return null;
  return write(async (client) => ((await isIndexedBlock(client, context.chainId, head)) ? work(client) : null));
};

/** Like `writeIfCanonical`, for tables that no fold loads: a batch that is being folded stays valid. */
export const writeIfCanonicalKeepingCache = <T>(
  context: JobContext,
  head: IndexedBlock,
  work: (client: DatabaseClient) => Promise<T>,
): Promise<T | null> => writeIfCanonical(context, head, work, context.runExclusiveKeepingCache);

/** Whether a block is still indexed. Served by the primary key of blocks. */
export const isIndexedBlock = async (client: Queryable, chainId: number, { number, hash }: IndexedBlock): Promise<boolean> =>
  (await client.query("SELECT 1 FROM blocks WHERE chain_id = $1 AND number = $2 AND hash = $3", [chainId, number, bytes(hash)])).length > 0;

/** Reads balances as of a block from the node's state and by multicall; null if there is no usable result. */
export const readBalances = ({ source, multicall }: JobContext, keys: readonly BalanceKey[], height: number): Promise<(bigint | null)[]> =>
  readBalancesAt({ balances: source.balances, runCalls: multicall }, keys, height, decodeCurrentBalance);

/** Decodes a current balance. Unlike for a base balance, empty data does not mean zero: the contract has been destroyed. */
export const decodeCurrentBalance = (key: BalanceKey, outcome: CallOutcome): bigint | null =>
  outcome.ok && outcome.data === "0x" ? null : decodeBaseBalance(key, outcome);
