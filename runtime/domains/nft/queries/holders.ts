import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import { standards } from "../../tokens/projection/standards.ts";
import { asOfBlock } from "../../tokens/queries/balance.ts";

/** What an owner had of a collection after a block: how many tokens, and when one of them last went from or to it. */
export interface HeldCollectionRow {
  readonly token: Address;
  readonly standard: number;
  /** Null where it is not known. */
  readonly balance: string | null;
  readonly moved_at: number | null;
}

/** The same of one id. */
export interface HeldNftRow extends HeldCollectionRow {
  readonly token_id: string;
}

const heldCollections = asOfBlock(
  "balances",
  "balance_periods",
  ["token", "standard"],
  sql`t.standard IN (${standards.erc721}, ${standards.erc1155})`,
);
/** The ids of collection $4, or id $5 of it, that account $2 had after block $3. */
export const heldIds = asOfBlock(
  "nft_balances",
  "nft_balance_periods",
  ["token", "token_id", "standard"],
  sql`t.token = $4 AND ($5::numeric IS NULL OR t.token_id = $5)`,
);

/** Questions about who holds tokens of collections. */
export function createNftHoldingQueries({ query }: Pick<Database, "query">) {
  /**
   * The collections that an owner had tokens of after a block, up to `limit` where there is one, by address. A row is set by transfers alone, so its first block is the last transfer.
   * Served by the primary keys of balances and blocks.
   */
  const collectionsHeldAt = (chainId: number, owner: Address, block: number, limit: number | null) =>
    query<HeldCollectionRow>(
      sql`SELECT h.token, h.standard, h.balance, b.timestamp AS moved_at
       FROM (SELECT * FROM ${heldCollections} a WHERE balance IS DISTINCT FROM 0 ORDER BY token, standard LIMIT $4) h
       LEFT JOIN blocks b ON b.chain_id = $1 AND b.number = h.since_block ORDER BY h.token, h.standard`,
      [chainId, bytes(owner), block, limit],
    );

  /** The ids of a collection that an owner had after a block, ascending, up to `limit`; or one id of it. Served by the primary keys of nft_balances and blocks. */
  const idsHeldAt = (chainId: number, owner: Address, token: Address, block: number, limit: number | null, tokenId: bigint | null = null) =>
    query<HeldNftRow>(
      sql`SELECT h.token, h.token_id, h.standard, h.balance, b.timestamp AS moved_at
       FROM (SELECT * FROM ${heldIds} a WHERE balance IS DISTINCT FROM 0 ORDER BY token_id, standard LIMIT $6) h
       LEFT JOIN blocks b ON b.chain_id = $1 AND b.number = h.since_block ORDER BY h.token_id, h.standard`,
      [chainId, bytes(owner), block, bytes(token), tokenId === null ? null : String(tokenId), limit],
    );

  return { collectionsHeldAt, idsHeldAt };
}
