import { bytes, bytesArray } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { Address, Hash } from "../../../lib/hex.ts";
import { standards } from "../../tokens/projection/standards.ts";

/** Where an approval was given. */
export interface ApprovalPlace {
  readonly block: number;
  readonly timestamp: number;
  readonly transaction_index: number;
  readonly log_index: number;
  readonly transaction_hash: Hash;
  /** The owner sent the transaction: others can have a contract say what they like. */
  readonly is_own: boolean;
}

/** Whether approvals are wanted that others than the owner sent, as those of permits and contract wallets, and all that hostile contracts say. */
export type Given = "anyhow" | "by the owner";

/** A standing allowance of an owner. */
export interface AllowanceRow extends ApprovalPlace {
  readonly token: Address;
  readonly spender: Address;
  /** As it is known: it may be lower where it is in doubt. */
  readonly amount: string;
  readonly is_doubtful: boolean;
}

/** The place of an approval of rows `a`, whose block and owner are these columns. Served by the primary keys of blocks and transactions. */
export const placeColumns = (block: string) =>
  `${block} AS block, b.timestamp, a.transaction_index, a.log_index, t.hash AS transaction_hash, t.from_address = a.owner AS is_own`;
export const joinPlace = (block: string) =>
  `JOIN blocks b ON b.chain_id = $1 AND b.number = ${block}
   JOIN transactions t ON t.chain_id = $1 AND t.block_number = ${block} AND t.transaction_index = a.transaction_index`;

/** Whether the contract of rows `a` was ever seen to be a token of some standards. Served by the primary key of token_standards. */
export const isSeenAs = (...numbers: readonly number[]) =>
  `EXISTS (SELECT FROM token_standards s WHERE s.chain_id = $1 AND s.address = a.token AND s.standard IN (${numbers.join(", ")}))`;

/** Questions about allowances of ERC-20 tokens. */
export const createAllowanceQueries = ({ query }: Pick<Database, "query">) => ({
  /**
   * The standing allowances of an owner, up to `limit`: those that the owner gave in a transaction of its own, and, if wanted, of the others those whose contract has
   * moved tokens as an ERC-20, or of which the owner has any. Served by the primary keys: a range of allowances, and a few probes each.
   */
  allowancesOf: (chainId: number, owner: Address, limit: number, given: Given = "anyhow") =>
    query<AllowanceRow>(
      `SELECT a.token, a.spender, a.amount, ${placeColumns("a.approved_block")}, r.owner IS NOT NULL AND rb.number IS NULL AS is_doubtful
       FROM allowances a ${joinPlace("a.approved_block")}
       LEFT JOIN allowance_reads r ON r.chain_id = $1 AND r.owner = a.owner AND r.token = a.token
       LEFT JOIN blocks rb ON rb.chain_id = $1 AND rb.number = r.read_at_block AND rb.hash = r.read_at_hash
       WHERE a.chain_id = $1 AND a.owner = $2 AND a.amount > 0 AND (t.from_address = a.owner OR $4::boolean AND (${isSeenAs(standards.erc20)}
         OR EXISTS (SELECT FROM balances h WHERE h.chain_id = $1 AND h.owner = a.owner AND h.token = a.token AND h.standard = ${standards.erc20})))
       LIMIT $3`,
      [chainId, bytes(owner), limit, given === "anyhow"],
    ),

  /** What an owner has of ERC-20 tokens that it ever had, now. Served by the primary key of balances. */
  coinsOf: async (chainId: number, owner: Address, tokens: Iterable<Address>): Promise<ReadonlyMap<Address, string | null>> => {
    const rows = await query<{ token: Address; balance: string | null }>(
      `SELECT token, balance FROM balances WHERE chain_id = $1 AND owner = $2 AND token = ANY ($3::bytea[]) AND standard = ${standards.erc20}`,
      [chainId, bytes(owner), bytesArray(tokens)],
    );
    return new Map(rows.map(({ token, balance }) => [token, balance]));
  },
});
