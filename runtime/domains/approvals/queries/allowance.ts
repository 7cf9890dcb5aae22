import { bytes, bytesArray } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { identifier, joinSql, type Sql, sql } from "../../../database/sql.ts";
import type { Address, Hash } from "../../../lib/hex.ts";
import { standards } from "../../tokens/projection/standards.ts";

/** The transaction and log of an approval. */
export interface ApprovalPosition {
  readonly block: number;
  readonly timestamp: number;
  readonly transaction_index: number;
  readonly log_index: number;
  readonly transaction_hash: Hash;
  /** Whether the owner sent the transaction: any other sender can make a contract emit any event. */
  readonly is_own: boolean;
}

/** Whether to include approvals in transactions sent by others: permits and approvals by contract wallets, but also any events of a hostile contract. */
export type ApprovalScope = "all" | "sent-by-owner";

/** A non-zero allowance of an owner. */
export interface AllowanceRow extends ApprovalPosition {
  readonly token: Address;
  readonly spender: Address;
  /** The last known amount: the allowance may be lower if it is in doubt. */
  readonly amount: string;
  readonly is_doubtful: boolean;
}

/** The columns of `ApprovalPosition` for rows `a` whose block is in the given column. Served by the primary keys of blocks and transactions. */
export const positionColumns = (block: string): Sql =>
  sql`${identifier(block)} AS block, b.timestamp, a.transaction_index, a.log_index, t.hash AS transaction_hash, t.from_address = a.owner AS is_own`;
export const joinPosition = (block: string): Sql =>
  sql`JOIN blocks b ON b.chain_id = $1 AND b.number = ${identifier(block)}
   JOIN transactions t ON t.chain_id = $1 AND t.block_number = ${identifier(block)} AND t.transaction_index = a.transaction_index`;

/** Whether the contract of rows `a` was observed to implement one of the standards. Served by the primary key of token_standards. */
export const isObservedAs = (...numbers: readonly number[]): Sql =>
  sql`EXISTS (SELECT FROM token_standards s
    WHERE s.chain_id = $1 AND s.address = a.token AND s.standard IN (${joinSql(numbers.map((number) => sql`${number}`))}))`;

const selectAllowances = sql`SELECT a.token, a.spender, a.amount, ${positionColumns("a.approved_block")}, r.owner IS NOT NULL AND rb.number IS NULL AS is_doubtful
  FROM allowances a ${joinPosition("a.approved_block")}
  LEFT JOIN allowance_reads r ON r.chain_id = $1 AND r.owner = a.owner AND r.token = a.token
  LEFT JOIN blocks rb ON rb.chain_id = $1 AND rb.number = r.read_at_block AND rb.hash = r.read_at_hash
  WHERE a.chain_id = $1 AND a.owner = $2 AND a.amount > 0 AND (t.from_address = a.owner OR $4::boolean AND (${isObservedAs(standards.erc20)}
    OR EXISTS (SELECT FROM balances h WHERE h.chain_id = $1 AND h.owner = a.owner AND h.token = a.token AND h.standard = ${standards.erc20})))
  LIMIT $3`;

/** Queries for ERC-20 allowances. */
export const createAllowanceQueries = ({ query }: Pick<Database, "query">) => ({
  /**
   * Up to `limit` non-zero allowances that an owner granted in transactions that it sent. Scope `all` adds allowances granted in other transactions if the
   * contract was observed to be an ERC-20 token or the owner ever had a balance of it. Served by the primary keys: a range of allowances, and a few probes for
   * each.
   */
  allowancesOf: (chainId: number, owner: Address, limit: number, scope: ApprovalScope = "all") =>
    query<AllowanceRow>(selectAllowances, [chainId, bytes(owner), limit, scope === "all"]),

  /** An owner's current balances of the given ERC-20 tokens, without tokens that it never received. Served by the primary key of balances. */
  erc20BalancesOf: async (chainId: number, owner: Address, tokens: Iterable<Address>): Promise<ReadonlyMap<Address, string | null>> => {
    const rows = await query<{ token: Address; balance: string | null }>(
      "SELECT token, balance FROM balances WHERE chain_id = $1 AND owner = $2 AND token = ANY ($3::bytea[]) AND standard = 1",
      [chainId, bytes(owner), bytesArray(tokens)],
    );
    return new Map(rows.map(({ token, balance }) => [token, balance]));
  },
});
