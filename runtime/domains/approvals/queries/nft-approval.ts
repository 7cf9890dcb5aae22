import { bytes, bytesArray } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import { standards } from "../../tokens/projection/standards.ts";
import { type ApprovalPosition, type ApprovalScope, isObservedAs, joinPosition, positionColumns } from "./allowance.ts";

/** A spender that may transfer one of an owner's tokens or, if `token_id` is null, all of the owner's tokens in a collection. */
export interface NftApprovalRow extends ApprovalPosition {
  readonly token: Address;
  readonly spender: Address;
  readonly token_id: string | null;
}

/** An owner's balance of one token id. */
export interface HeldId {
  readonly token: Address;
  readonly token_id: string;
  readonly balance: string | null;
}

const isCollection = isObservedAs(standards.erc721, standards.erc1155);

const selectApprovals = sql`SELECT a.token, a.spender, a.token_id, ${positionColumns("a.since_block")} FROM nft_approvals a ${joinPosition("a.since_block")}
  LEFT JOIN nft_balances h ON h.chain_id = $1 AND h.owner = a.owner AND h.token = a.token AND h.token_id = a.token_id AND h.standard = ${standards.erc721}
  WHERE a.chain_id = $1 AND a.owner = $2 AND a.spender IS NOT NULL AND (t.from_address = a.owner OR $5::boolean AND ${isCollection})
    AND (h.balance > 0 OR (h.balance IS NULL AND (h.owner IS NOT NULL OR NOT $3::boolean)))
  UNION ALL
  SELECT a.token, a.operator, NULL, ${positionColumns("a.since_block")} FROM nft_operators a ${joinPosition("a.since_block")}
  WHERE a.chain_id = $1 AND a.owner = $2 AND a.approved AND (t.from_address = a.owner OR $5::boolean AND ${isCollection})
  LIMIT $4`;

/** Queries for NFT approvals. */
export const createNftApprovalQueries = ({ query }: Pick<Database, "query">) => ({
  /**
   * Up to `limit` current approvals that an owner granted in transactions that it sent. Scope `all` adds approvals granted in other transactions if the
   * contract was observed to be a collection. The approval of a single token is included if the owner has that token, or may have it because the index begins
   * after the token's last transfer. Served by nft_approvals_owner and the primary keys: a range of each, and a few probes for each row.
   */
  nftApprovalsOf: (chainId: number, owner: Address, isComplete: boolean, limit: number, scope: ApprovalScope = "all") =>
    query<NftApprovalRow>(selectApprovals, [chainId, bytes(owner), isComplete, limit, scope === "all"]),

  /** Up to `limit` token ids of the given collections that an owner currently has, ordered by collection and id. Served by the primary key of nft_balances. */
  heldIdsOf: (chainId: number, owner: Address, tokens: Iterable<Address>, limit: number) =>
    query<HeldId>(
      `SELECT token, token_id, balance FROM nft_balances
       WHERE chain_id = $1 AND owner = $2 AND token = ANY ($3::bytea[]) AND balance IS DISTINCT FROM 0 ORDER BY token, token_id, standard LIMIT $4`,
      [chainId, bytes(owner), bytesArray(tokens), limit],
    ),
});
