import type { Head } from "../../chain/source.ts";
import type { NativeAccounting } from "../../chain/types.ts";
import { bytes } from "../../database/codecs.ts";
import type { Queryable } from "../../database/database.ts";
import type { Hash } from "../../lib/hex.ts";

/** What the index knows of its chain. */
export interface ChainRecord {
  readonly name: string;
  readonly genesisHash: Hash;
  readonly indexedFrom: number;
  readonly backfilled: boolean;
  readonly finalized: number | null;
  readonly missing: readonly string[];
  /** The accounting that the index was begun with. */
  readonly nativeAccounting: NativeAccounting;
}

/**
 * What an index may lack, as `missing` names it beside what its node lacks: native balances at all; those of the past, as the node had no archive; all of
 * them, as they were found to differ from the node's.
 */
export const features = {
  nativeBalances: "native-balances",
  nativeHistory: "native-history",
  nativeBalancesDiffer: "native-balances-differ",
  archiveState: "archive-state",
} as const;

/** The row of a chain, or null before its first indexing. */
export const readChain = async (database: Queryable, chainId: number): Promise<ChainRecord | null> => {
  const rows = await database.query<{
    name: string;
    genesis_hash: Hash;
    indexed_from: number;
    backfilled_at: Date | null;
    finalized_block: number | null;
    missing: string[];
    native_accounting: NativeAccounting | null;
  }>(
    "SELECT name, genesis_hash, indexed_from, backfilled_at, finalized_block, missing, native_accounting FROM chains WHERE chain_id = $1",
    [chainId],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    name: row.name,
    genesisHash: row.genesis_hash,
    indexedFrom: row.indexed_from,
    backfilled: row.backfilled_at !== null,
    finalized: row.finalized_block,
    missing: row.missing,
    nativeAccounting: row.native_accounting ?? "none",
  };
};

export interface NewChain {
  readonly id: number;
  readonly name: string;
  readonly genesisHash: Hash;
  readonly from: number;
  readonly nativeAccounting: NativeAccounting;
}

/** Enters a chain; a second process that enters it first has the word. */
export const insertChain = async (database: Queryable, chain: NewChain): Promise<void> => {
  const { id, name, genesisHash, from, nativeAccounting } = chain;
  await database.query(
    `INSERT INTO chains (chain_id, name, genesis_hash, indexed_from, native_accounting) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (chain_id) DO NOTHING`,
    [id, name, bytes(genesisHash), from, nativeAccounting],
  );
};

/** Keeps a chain's name as configured and what its node does not offer. */
export const describeChain = async (database: Queryable, chainId: number, name: string, missing: readonly string[]): Promise<void> => {
  await database.query("UPDATE chains SET name = $2, missing = $3 WHERE chain_id = $1", [chainId, name, [...missing]]);
};

/** Adds what an index was found to lack. */
export const recordMissing = async (database: Queryable, chainId: number, feature: string): Promise<void> => {
  await database.query("UPDATE chains SET missing = array_append(array_remove(missing, $2), $2) WHERE chain_id = $1", [chainId, feature]);
};

/** The chain that has a name in the index; null where none has. */
export const chainNamed = async (database: Queryable, name: string): Promise<number | null> => {
  const [row] = await database.query<{ chain_id: number }>("SELECT chain_id FROM chains WHERE name = $1", [name]);
  return row?.chain_id ?? null;
};

/** Keeps whether native balances of the past are unknown. Only accounting by state asks the node for them. */
export const recordNativeHistory = async (database: Queryable, chainId: number, isMissing: boolean): Promise<void> => {
  await database.query(
    `UPDATE chains SET missing = CASE WHEN $3 THEN array_append(missing, $2) ELSE array_remove(missing, $2) END
     WHERE chain_id = $1 AND native_accounting = 'state' AND ($2 = ANY (missing)) <> $3`,
    [chainId, features.nativeHistory, isMissing],
  );
};

/** Keeps the node's head as seen. */
export const recordHead = async (
  database: Queryable,
  chainId: number,
  head: Head,
  finalized: number | null,
  seenAt: Date,
): Promise<void> => {
  await database.query(
    `UPDATE chains SET latest_block = $2, latest_timestamp = $3, finalized_block = greatest(finalized_block, $4), seen_at = $5 WHERE chain_id = $1`,
    [chainId, head.number, head.timestamp, finalized, seenAt],
  );
};

/** Marks the first arrival at the head. */
export const recordBackfilled = async (database: Queryable, chainId: number, at: Date): Promise<void> => {
  await database.query("UPDATE chains SET backfilled_at = coalesce(backfilled_at, $2) WHERE chain_id = $1", [chainId, at]);
};
