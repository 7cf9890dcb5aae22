import type { Capabilities } from "../../chain/capabilities.ts";
import { describeCapabilities } from "../../chain/describe-capabilities.ts";
import type { Head } from "../../chain/source.ts";
import type { NativeAccounting } from "../../chain/types.ts";
import { bytes } from "../../database/codecs.ts";
import type { Queryable } from "../../database/database.ts";
import type { Hash } from "../../lib/hex.ts";

/** The row in `chains` that describes an index. */
export interface ChainRecord {
  readonly name: string;
  readonly genesisHash: Hash;
  readonly indexedFrom: number;
  readonly isBackfilled: boolean;
  readonly finalizedBlock: number | null;
  readonly missing: readonly string[];
  /** The accounting that the index was created with. */
  readonly nativeAccounting: NativeAccounting;
  /** Whether it is being restored from a snapshot, so that some of its rows are missing. */
  readonly isRestoring: boolean;
}

/**
 * The names of features that an index may lack, in its `missing` list, which also contains features that its node lacks. `nativeHistory`: native balances at
 * past blocks, because the node had no archive state. `nativeBalancesDiffer`: all native balances, because they differ from the node's.
 */
export const features = {
  nativeBalances: "native-balances",
  nativeHistory: "native-history",
  nativeBalancesDiffer: "native-balances-differ",
  archiveState: "archive-state",
} as const;

/** A chain's record; null before it is indexed for the first time. */
export const readChain = async (database: Queryable, chainId: number): Promise<ChainRecord | null> => {
  const rows = await database.query<{
    name: string;
    genesis_hash: Hash;
    indexed_from: number;
    backfilled_at: Date | null;
    finalized_block: number | null;
    missing: string[];
    native_accounting: NativeAccounting | null;
    is_restoring: boolean;
  }>(
    `SELECT name, genesis_hash, indexed_from, backfilled_at, finalized_block, missing, native_accounting,
       EXISTS (SELECT 1 FROM chain_restores WHERE chain_id = $1) AS is_restoring FROM chains WHERE chain_id = $1`,
    [chainId],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    name: row.name,
    genesisHash: row.genesis_hash,
    indexedFrom: row.indexed_from,
    isBackfilled: row.backfilled_at !== null,
    finalizedBlock: row.finalized_block,
    missing: row.missing,
    nativeAccounting: row.native_accounting ?? "none",
    isRestoring: row.is_restoring,
  };
};

export interface NewChain {
  readonly id: number;
  readonly name: string;
  readonly genesisHash: Hash;
  readonly from: number;
  /** Null if the kind of chain has none. */
  readonly nativeAccounting: NativeAccounting | null;
}

/** Inserts a chain, unless another process has inserted it. */
export const insertChain = async (database: Queryable, chain: NewChain): Promise<void> => {
  const { id, name, genesisHash, from, nativeAccounting } = chain;
  await database.query(
    `INSERT INTO chains (chain_id, name, genesis_hash, indexed_from, native_accounting) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (chain_id) DO NOTHING`,
    [id, name, bytes(genesisHash), from, nativeAccounting],
  );
};

/** Stores a chain's configured name and the features that its index lacks. */
export const recordNameAndMissing = async (
  database: Queryable,
  chainId: number,
  name: string,
  missing: readonly string[],
): Promise<void> => {
  await database.query("UPDATE chains SET name = $2, missing = $3 WHERE chain_id = $1", [chainId, name, [...missing]]);
};

/** Stores the capabilities of the chain's node. */
export const recordCapabilities = async (database: Queryable, chainId: number, capabilities: Capabilities): Promise<void> => {
  const { batchSize, traceKind } = capabilities;
  const offers = describeCapabilities(capabilities).flatMap(({ offered, feature }) => (offered ? [feature] : []));
  await database.query("UPDATE chains SET offers = $2, batch_size = $3, traces_by = $4 WHERE chain_id = $1", [
    chainId,
    offers,
    batchSize,
    traceKind,
  ]);
};

/** Adds a feature to those that an index lacks. */
export const recordMissing = async (database: Queryable, chainId: number, feature: string): Promise<void> => {
  await database.query("UPDATE chains SET missing = array_append(array_remove(missing, $2), $2) WHERE chain_id = $1", [chainId, feature]);
};

/** The id of the indexed chain with this name; null if there is none. */
export const chainIdOfName = async (database: Queryable, name: string): Promise<number | null> => {
  const [row] = await database.query<{ chain_id: number }>("SELECT chain_id FROM chains WHERE name = $1", [name]);
  return row?.chain_id ?? null;
};

/** Stores whether native balances of past blocks are unknown, which only happens with accounting by state. */
export const recordNativeHistoryMissing = async (database: Queryable, chainId: number, isMissing: boolean): Promise<void> => {
  await database.query(
    `UPDATE chains SET missing = CASE WHEN $3 THEN array_append(missing, $2) ELSE array_remove(missing, $2) END
     WHERE chain_id = $1 AND native_accounting = 'state' AND ($2 = ANY (missing)) <> $3`,
    [chainId, features.nativeHistory, isMissing],
  );
};

/** Stores the node's head. */
export const recordHead = async (
  database: Queryable,
  chainId: number,
  head: Head,
  finalized: number | null,
  observedAt: Date,
): Promise<void> => {
  await database.query(
    `UPDATE chains SET latest_block = $2, latest_timestamp = $3, finalized_block = greatest(finalized_block, $4), seen_at = $5 WHERE chain_id = $1`,
    [chainId, head.number, head.timestamp, finalized, observedAt],
  );
};

/** Stores when the backfill was completed, if it is not stored yet. */
export const recordBackfilled = async (database: Queryable, chainId: number, at: Date): Promise<void> => {
  await database.query("UPDATE chains SET backfilled_at = coalesce(backfilled_at, $2) WHERE chain_id = $1", [chainId, at]);
};
