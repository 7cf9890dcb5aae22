import type { CallOutcome } from "../../../../chain/source.ts";
import { bytes } from "../../../../database/codecs.ts";
import type { DatabaseClient, Queryable } from "../../../../database/database.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import type { JobContext } from "../../../../jobs/job.ts";
import { type BalanceKey, decodeBaseBalance } from "../../projection/reads-base.ts";
import { readBalancesAt } from "../read-balances.ts";

/** The last block of an index, or null before its first. Served by the primary key of blocks. */
export const indexedHead = async ({ database, chainId }: Pick<JobContext, "database" | "chainId">): Promise<IndexedBlock | null> => {
  const rows = await database.query<IndexedBlock>("SELECT number, hash FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1", [
    chainId,
  ]);
  return rows[0] ?? null;
};

/** Whether the node still has a block of the index, so that what it said of its state belongs to it. */
export const isCanonical = async ({ source }: Pick<JobContext, "source">, { number, hash }: IndexedBlock): Promise<boolean> =>
  (await source.hashesOf([number]))[0] === hash;

/**
 * Writes what a node said of its state after a block, between two batches, if node and index still have that block.
 * Null, with nothing written, if not, or where this process may not write.
 */
export const writeAsOf = async <T>(
  context: JobContext,
  head: IndexedBlock,
  work: (client: DatabaseClient) => Promise<T>,
  write = context.exclusive,
): Promise<T | null> => {
  if (!(await isCanonical(context, head))) return null;
  return write(async (client) => ((await isIndexedBlock(client, context.chainId, head)) ? work(client) : null));
};

/** The same for tables that no fold starts from: what is folded meanwhile is kept. */
export const writeBesideAsOf = <T>(
  context: JobContext,
  head: IndexedBlock,
  work: (client: DatabaseClient) => Promise<T>,
): Promise<T | null> => writeAsOf(context, head, work, context.beside);

/** Whether the index still has a block. Served by the primary key of blocks. */
export const isIndexedBlock = async (client: Queryable, chainId: number, { number, hash }: IndexedBlock): Promise<boolean> =>
  (await client.query("SELECT 1 FROM blocks WHERE chain_id = $1 AND number = $2 AND hash = $3", [chainId, number, bytes(hash)])).length > 0;

/** What node and contracts say of balances after a block; null where they say nothing that can be used. */
export const readBalances = ({ source, multicall }: JobContext, keys: readonly BalanceKey[], height: number): Promise<(bigint | null)[]> =>
  readBalancesAt({ balances: source.balances, calls: multicall }, keys, height, currentBalance);

/** Other than before a contract was there, no data is no answer: the contract is gone. */
export const currentBalance = (key: BalanceKey, outcome: CallOutcome): bigint | null =>
  outcome.ok && outcome.data === "0x" ? null : decodeBaseBalance(key, outcome);
