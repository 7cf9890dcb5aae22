import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import { standards } from "../../tokens/projection/standards.ts";
import { asOfBlock } from "../../tokens/queries/balance.ts";

/** The balance of an account in a collection after a block, and the time of the last transfer of one of these tokens to or from the account. */
export interface HeldCollectionRow {
  readonly token: Address;
  readonly standard: number;
  /** Null if unknown. */
  readonly balance: string | null;
  readonly moved_at: number | null;
}

/** A held collection, restricted to one id. */
export interface HeldNftRow extends HeldCollectionRow {
  readonly token_id: string;
}

const heldCollections = asOfBlock(
  "balances",
  "balance_periods",
  ["token", "standard"],
  sql`t.standard IN (${standards.erc721}, ${standards.erc1155})`,
);
/** The ids of collection $4, or its id $5, that account $2 held after block $3. */
export const heldIds = asOfBlock(
  "nft_balances",
  "nft_balance_periods",
  ["token", "token_id", "standard"],
  sql`t.token = $4 AND ($5::numeric IS NULL OR t.token_id = $5)`,
);

/** Queries for the holders of collections' tokens. */
export function createNftHoldingQueries({ query }: Pick<Database, "query">) {
  /**
   * The collections in which an account held tokens after a block, by address, up to `limit` if set. Only transfers change these rows, so `since_block`
   * is the block of the last transfer. Served by the primary keys of balances and blocks.
   */
  const collectionsHeldAt = (chainId: number, owner: Address, block: number, limit: number | null) =>
    query<HeldCollectionRow>(
      sql`SELECT h.token, h.standard, h.balance, b.timestamp AS moved_at
       FROM (SELECT * FROM ${heldCollections} a WHERE balance IS DISTINCT FROM 0 ORDER BY token, standard LIMIT $4) h
       LEFT JOIN blocks b ON b.chain_id = $1 AND b.number = h.since_block ORDER BY h.token, h.standard`,
      [chainId, bytes(owner), block, limit],
    );

  /**
   * The ids of a collection that an account held after a block, ascending, up to `limit` if set; only one id if `tokenId` is set. Served by the primary
   * keys of nft_balances and blocks.
   */
  const idsHeldAt = (chainId: number, owner: Address, token: Address, block: number, limit: number | null, tokenId: bigint | null = null) =>
    query<HeldNftRow>(
      sql`SELECT h.token, h.token_id, h.standard, h.balance, b.timestamp AS moved_at
       FROM (SELECT * FROM ${heldIds} a WHERE balance IS DISTINCT FROM 0 ORDER BY token_id, standard LIMIT $6) h
       LEFT JOIN blocks b ON b.chain_id = $1 AND b.number = h.since_block ORDER BY h.token_id, h.standard`,
      [chainId, bytes(owner), block, bytes(token), tokenId === null ? null : String(tokenId), limit],
    );

  return { collectionsHeldAt, idsHeldAt };
}
