import { type Sql, sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import { standards } from "../../tokens/projection/standards.ts";
import { balanceBefore, rowsAsOfBlock } from "../../tokens/queries/balance.ts";

/** An account's balance in a collection after a block, and when one of its tokens was last transferred to or from the account. */
export interface HeldCollectionRow {
  readonly token: Address;
  readonly standard: number;
  /** Null if unknown. */
  readonly balance: string | null;
  readonly moved_at: number | null;
  /** The balance after an earlier block: 0 if the account had never had a token of the collection; null if unknown. */
  readonly balance_before: string | null;
}

const collectionsAsOf = rowsAsOfBlock(
  "balances",
  "balance_periods",
  ["token", "standard"],
  sql`t.standard IN (${standards.erc721}, ${standards.erc1155})`,
);

/**
 * The first $4 collections in which account $2 of chain $1 held tokens as of block $3, with their balances as of block $5; null for a block before the index.
 * Only transfers change these rows, so `since_block` is the block of the last transfer. Served by the primary keys of balances and blocks.
 */
export const selectHeldCollections: Sql = sql`SELECT h.token, h.standard, h.balance,
    (SELECT timestamp FROM blocks WHERE chain_id = $1 AND number = h.since_block) AS moved_at,
    ${balanceBefore("balance_periods", ["token", "standard"], sql`$5`)} AS balance_before
  FROM (SELECT * FROM ${collectionsAsOf} a WHERE balance IS DISTINCT FROM 0 ORDER BY token, standard LIMIT $4) h`;
