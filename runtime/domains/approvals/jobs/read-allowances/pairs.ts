import { bytes, bytesArray } from "../../../../database/codecs.ts";
import type { Queryable } from "../../../../database/database.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import type { Address } from "../../../../lib/hex.ts";
import { maxAttempts, maxPairs, maxPairsOfToken, slice } from "./settings.ts";

/** An owner and a token: its allowances are read together. */
export interface Pair {
  readonly owner: Address;
  readonly token: Address;
}

/** An allowance as the index has it; one of nothing may have been given anew without an event. */
export interface StandingAllowance extends Pair {
  readonly spender: Address;
  readonly since: number;
  readonly amount: string;
}

/** Of those in doubt the newest, so that a backlog keeps nobody waiting, and few of each token. Served by allowance_reads_due. */
export const duePairs = (database: Queryable, chainId: number, height: number, deferred: readonly Address[]): Promise<Pair[]> =>
  database.query<Pair>(
    `SELECT owner, token FROM (
       SELECT *, row_number() OVER (PARTITION BY token ORDER BY block_number DESC, owner) AS place FROM (
         SELECT owner, token, block_number FROM allowance_reads
         WHERE chain_id = $1 AND read_at_block IS NULL AND block_number <= $2 AND attempts < ${maxAttempts} AND token <> ALL ($3::bytea[])
         ORDER BY block_number DESC LIMIT 2000) newest) due
     WHERE place <= ${maxPairsOfToken} ORDER BY block_number DESC, owner, token LIMIT ${maxPairs}`,
    [chainId, height, bytesArray(deferred)],
  );

/** Those of some pairs that are in doubt, by what happened up to a block. Served by the primary key of allowance_reads. */
export const doubtfulAmong = (database: Queryable, chainId: number, height: number, pairs: readonly Pair[]): Promise<Pair[]> =>
  database.query<Pair>(
    `SELECT owner, token FROM allowance_reads JOIN unnest($3::bytea[], $4::bytea[]) AS k(owner, token) USING (owner, token)
     WHERE chain_id = $1 AND read_at_block IS NULL AND block_number <= $2`,
    [chainId, height, bytesArray(pairs.map(({ owner }) => owner)), bytesArray(pairs.map(({ token }) => token))],
  );

/** Pairs whose allowances changed above a block and by another, the newest, few of each token. Served by allowances_roll_back. */
export const newPairs = (database: Queryable, chainId: number, above: number, height: number, limit: number): Promise<Pair[]> =>
  database.query<Pair>(
    `SELECT DISTINCT owner, token FROM (
       SELECT *, row_number() OVER (PARTITION BY token ORDER BY since_block DESC, owner) AS place FROM (
         SELECT owner, token, since_block FROM allowances WHERE chain_id = $1 AND since_block > $2 AND since_block <= $3
         ORDER BY since_block DESC LIMIT 2000) newest) given
     WHERE place <= 2 LIMIT $4`,
    [chainId, above, height, limit],
  );

/** Pairs in the order of the primary key, which serves it, after one of them. */
export const pairsAfter = (database: Queryable, chainId: number, { owner, token }: Pair, limit: number): Promise<Pair[]> =>
  database.query<Pair>(
    `SELECT DISTINCT owner, token FROM (
       SELECT owner, token FROM allowances WHERE chain_id = $1 AND (owner, token) > ($2, $3)
       ORDER BY owner, token, spender LIMIT $4) next ORDER BY owner, token`,
    [chainId, bytes(owner), bytes(token), limit],
  );

/** Where the reading of each pair's allowances goes on: after a spender. */
export interface Position extends Pair {
  readonly after: Address | "0x";
}

/** The next allowances of pairs as of a block. Served by the primary key, one range a pair. */
export const standingAllowances = (
  database: Queryable,
  chainId: number,
  height: number,
  positions: readonly Position[],
): Promise<StandingAllowance[]> =>
  database.query<StandingAllowance>(
    `SELECT k.owner, k.token, a.spender, a.since_block AS since, a.amount
     FROM unnest($2::bytea[], $3::bytea[], $4::bytea[]) AS k(owner, token, after) CROSS JOIN LATERAL (
       SELECT spender, since_block, amount FROM allowances a
       WHERE a.chain_id = $1 AND a.owner = k.owner AND a.token = k.token AND a.spender > k.after AND a.since_block <= $5
       ORDER BY a.spender LIMIT ${slice}) a`,
    [
      chainId,
      bytesArray(positions.map(({ owner }) => owner)),
      bytesArray(positions.map(({ token }) => token)),
      bytesArray(positions.map(({ after }) => after)),
      height,
    ],
  );

/** Whether the index still has a block. Served by the primary key of blocks. */
export const hasBlock = async (database: Queryable, chainId: number, { number, hash }: IndexedBlock): Promise<boolean> =>
  (await database.query("SELECT 1 FROM blocks WHERE chain_id = $1 AND number = $2 AND hash = $3", [chainId, number, bytes(hash)])).length >
  0;
