import type { CallOutcome } from "../../../chain/source.ts";
import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import type { IndexedBlock } from "../../../indexer/types.ts";
import type { ChoreContext } from "../../../jobs/chore.ts";
import { type BalanceKey, baseBalance, baseReadOf } from "../reads-base.ts";

/** The last block of an index, or null before its first. Served by the primary key of blocks. */
export const indexedHead = async ({ database, chainId }: Pick<ChoreContext, "database" | "chainId">): Promise<IndexedBlock | null> => {
  const rows = await database.query<IndexedBlock>("SELECT number, hash FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1", [
    chainId,
  ]);
  return rows[0] ?? null;
};

/** Whether the node still has a block of the index, so that what it said of its state belongs to it. */
export const isNodesBlock = async ({ source }: Pick<ChoreContext, "source">, { number, hash }: IndexedBlock): Promise<boolean> =>
  (await source.hashesOf([number]))[0] === hash;

/** Whether the index still has a block. */
export const isIndexedBlock = async (client: Queryable, chainId: number, { number, hash }: IndexedBlock): Promise<boolean> =>
  (await client.query("SELECT 1 FROM blocks WHERE chain_id = $1 AND number = $2 AND hash = $3", [chainId, number, bytes(hash)])).length > 0;

/** What node and contracts say of balances after a block; null where they say nothing that can be used. */
export const askBalances = async (context: ChoreContext, keys: readonly BalanceKey[], height: number): Promise<(bigint | null)[]> => {
  const reads = keys.map((key) => baseReadOf(key, height));
  const owners = reads.flatMap((read) => (read !== null && "address" in read ? [read.address] : []));
  const calls = reads.flatMap((read) => (read !== null && "to" in read ? [{ to: read.to, data: read.data }] : []));
  const amounts = owners.length === 0 ? [] : await context.source.balances(owners, height);
  const outcomes = calls.length === 0 ? [] : await context.multicall(calls, height);
  let [nextAmount, nextOutcome] = [0, 0];
  return keys.map((key, position) => {
    const read = reads[position] ?? null;
    if (read === null) return null;
    if ("address" in read) return amounts[nextAmount++] ?? null;
    return balanceTold(key, outcomes[nextOutcome++]);
  });
};

/** Other than before a contract was there, no data is no answer: the contract is gone. */
const balanceTold = (key: BalanceKey, outcome: CallOutcome | undefined): bigint | null =>
  outcome === undefined || (outcome.ok && outcome.data === "0x") ? null : baseBalance(key, outcome);
