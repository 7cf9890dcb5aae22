import { bytesArray } from "../../database/codecs.ts";
import type { Queryable } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import type { Address, Hash, Hex } from "../../lib/hex.ts";
import { isAtPositions, positionParameters, type TransactionPosition } from "../ledger/queries/transaction.ts";

/** An execution of a Safe. */
export interface SafeExecutionRow {
  readonly block_number: number;
  readonly log_index: number;
  readonly transaction_index: number;
  readonly safe: Address;
  readonly tx_hash: Hash;
  readonly signatures: Hex | null;
  readonly checked_before: number;
  /** The number of signatures that the Safe checked; null if unknown. */
  readonly threshold: string | null;
}

/** An account that may own a Safe just before a log. */
export interface OwnerCandidate {
  readonly safe: Address;
  readonly owner: Address;
  readonly block_number: number;
  readonly checked_before: number;
}

const selectExecutions = sql`SELECT e.block_number, e.log_index, e.transaction_index, e.safe, e.tx_hash, e.signatures, e.checked_before,
    (SELECT t.threshold FROM safe_thresholds t
     WHERE t.chain_id = $1 AND t.safe = e.safe AND (t.block_number, t.log_index) < (e.block_number, e.checked_before)
     ORDER BY t.block_number DESC, t.log_index DESC LIMIT 1) AS threshold
  FROM safe_executions e WHERE e.chain_id = $1 AND ${isAtPositions("e", sql`$2`, sql`$3`)} ORDER BY e.block_number, e.log_index`;

/** Queries for Safes. */
export type SafeQueries = ReturnType<typeof createSafeQueries>;

/** Creates the queries for Safes: their executions, and their owners at a position. */
export function createSafeQueries({ query }: Pick<Queryable, "query">) {
  /** The executions in the given transactions, in order. Served by the primary key, reading each block once, and one probe of the thresholds per execution. */
  const executionsOfTransactions = (chainId: number, positions: readonly TransactionPosition[]) =>
    query<SafeExecutionRow>(selectExecutions, [chainId, ...positionParameters(positions)]);

  /**
   * Whether each candidate was an owner just before its log, in the order given; false if unknown. Served by the primary key, one probe per
   * candidate.
   */
  const areOwners = async (chainId: number, candidates: readonly OwnerCandidate[]): Promise<boolean[]> => {
    if (candidates.length === 0) return [];
    const rows = await query<{ is_owner: boolean }>(
      `SELECT coalesce((SELECT o.is_owner FROM safe_owners o
         WHERE o.chain_id = $1 AND o.safe = c.safe AND o.owner = c.owner AND (o.block_number, o.log_index) < (c.block_number, c.log_index)
         ORDER BY o.block_number DESC, o.log_index DESC LIMIT 1), false) AS is_owner
       FROM unnest($2::bytea[], $3::bytea[], $4::int8[], $5::int4[]) WITH ORDINALITY AS c(safe, owner, block_number, log_index, position)
       ORDER BY c.position`,
      [
        chainId,
        bytesArray(candidates.map(({ safe }) => safe)),
        bytesArray(candidates.map(({ owner }) => owner)),
        candidates.map(({ block_number }) => block_number),
        candidates.map(({ checked_before }) => checked_before),
      ],
    );
    return rows.map(({ is_owner }) => is_owner);
  };

  return { executionsOfTransactions, areOwners };
}
