import { bytes, bytesArray } from "../../../../database/codecs.ts";
import type { Queryable } from "../../../../database/database.ts";
import { sql } from "../../../../database/sql.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import type { Address } from "../../../../lib/hex.ts";
import { maxAttempts, maxPairs, maxPairsPerToken, sliceSize } from "./settings.ts";

/** An owner and a token, whose allowances are read together. */
export interface OwnerTokenPair {
  readonly owner: Address;
  readonly token: Address;
}

/** An allowance in the index. It may be 0: a contract may raise it without an event. */
export interface StoredAllowance extends OwnerTokenPair {
  readonly spender: Address;
  readonly since: number;
  readonly amount: string;
}

/** Pairs in doubt, newest first so that a backlog does not delay new ones, with a limit per token. Served by allowance_reads_due. */
export const duePairs = (database: Queryable, chainId: number, height: number, skipped: readonly Address[]): Promise<OwnerTokenPair[]> =>
  database.query<OwnerTokenPair>(
    sql`SELECT owner, token FROM (
       SELECT *, row_number() OVER (PARTITION BY token ORDER BY block_number DESC, owner) AS rank FROM (
         SELECT owner, token, block_number FROM allowance_reads
         WHERE chain_id = $1 AND read_at_block IS NULL AND block_number <= $2 AND attempts < ${maxAttempts} AND token <> ALL ($3::bytea[])
         ORDER BY block_number DESC LIMIT 2000) newest) due
     WHERE rank <= ${maxPairsPerToken} ORDER BY block_number DESC, owner, token LIMIT ${maxPairs}`,
    [chainId, height, bytesArray(skipped)],
  );

/** The subset of pairs that are in doubt as of a block. Served by the primary key of allowance_reads. */
export const pairsInDoubt = (
  database: Queryable,
  chainId: number,
  height: number,
  pairs: readonly OwnerTokenPair[],
): Promise<OwnerTokenPair[]> =>
  database.query<OwnerTokenPair>(
    `SELECT owner, token FROM allowance_reads JOIN unnest($3::bytea[], $4::bytea[]) AS k(owner, token) USING (owner, token)
     WHERE chain_id = $1 AND read_at_block IS NULL AND block_number <= $2`,
    [chainId, height, bytesArray(pairs.map(({ owner }) => owner)), bytesArray(pairs.map(({ token }) => token))],
  );

/** The newest pairs whose allowances changed between two blocks, at most two per token. Served by allowances_roll_back. */
export const changedPairs = (
  database: Queryable,
  chainId: number,
  afterBlock: number,
  height: number,
  limit: number,
): Promise<OwnerTokenPair[]> =>
  database.query<OwnerTokenPair>(
    `SELECT DISTINCT owner, token FROM (
       SELECT *, row_number() OVER (PARTITION BY token ORDER BY since_block DESC, owner) AS rank FROM (
         SELECT owner, token, since_block FROM allowances WHERE chain_id = $1 AND since_block > $2 AND since_block <= $3
         ORDER BY since_block DESC LIMIT 2000) newest) changed
     WHERE rank <= 2 LIMIT $4`,
    [chainId, afterBlock, height, limit],
  );

/** The pairs after a given one. Served by the primary key, in its order. */
export const pairsAfter = (
  database: Queryable,
  chainId: number,
  { owner, token }: OwnerTokenPair,
  limit: number,
): Promise<OwnerTokenPair[]> =>
  database.query<OwnerTokenPair>(
    `SELECT DISTINCT owner, token FROM (
       SELECT owner, token FROM allowances WHERE chain_id = $1 AND (owner, token) > ($2, $3)
       ORDER BY owner, token, spender LIMIT $4) next ORDER BY owner, token`,
    [chainId, bytes(owner), bytes(token), limit],
  );

/** The spender after which a pair's next slice of allowances begins. */
export interface PairCursor extends OwnerTokenPair {
  readonly after: Address | "0x";
}

/** The next slice of each pair's allowances as of a block. Served by the primary key, one range per pair. */
export const storedAllowances = (
  database: Queryable,
  chainId: number,
  height: number,
  cursors: readonly PairCursor[],
): Promise<StoredAllowance[]> =>
  database.query<StoredAllowance>(
    sql`SELECT k.owner, k.token, a.spender, a.since_block AS since, a.amount
     FROM unnest($2::bytea[], $3::bytea[], $4::bytea[]) AS k(owner, token, after) CROSS JOIN LATERAL (
       SELECT spender, since_block, amount FROM allowances a
       WHERE a.chain_id = $1 AND a.owner = k.owner AND a.token = k.token AND a.spender > k.after AND a.since_block <= $5
       ORDER BY a.spender LIMIT ${sliceSize}) a`,
    [
      chainId,
      bytesArray(cursors.map(({ owner }) => owner)),
      bytesArray(cursors.map(({ token }) => token)),
      bytesArray(cursors.map(({ after }) => after)),
      height,
    ],
  );

/** Whether the index still contains a block. Served by the primary key of blocks. */
export const hasBlock = async (database: Queryable, chainId: number, { number, hash }: IndexedBlock): Promise<boolean> => {
  const rows = await database.query("SELECT 1 FROM blocks WHERE chain_id = $1 AND number = $2 AND hash = $3", [
    chainId,
    number,
    bytes(hash),
  ]);
  return rows.length > 0;
};
