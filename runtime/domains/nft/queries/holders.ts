import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { plannedOnce, sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import { standards } from "../../tokens/projection/standards.ts";
import { asOfBlock, balanceBefore } from "../../tokens/queries/balance.ts";

/** The balance of an account in a collection after a block, and the time of the last transfer of one of its tokens to or from the account. */
export interface HeldCollectionRow {
  readonly token: Address;
  readonly standard: number;
  /** Null if unknown. */
  readonly balance: string | null;
  readonly moved_at: number | null;
  /** The balance after an earlier block: 0 if the account had never had a token of the collection; null if unknown. */
  readonly balance_before: string | null;
}

const heldCollections = asOfBlock(
  "balances",
  "balance_periods",
  ["token", "standard"],
  sql`t.standard IN (${standards.erc721}, ${standards.erc1155})`,
);
/** Only transfers change these rows, so `since_block` is the block of the last transfer. Served by the primary keys of balances and blocks. */
const selectCollections = plannedOnce(sql`SELECT h.token, h.standard, h.balance,
    (SELECT timestamp FROM blocks WHERE chain_id = $1 AND number = h.since_block) AS moved_at,
    ${balanceBefore("balance_periods", ["token", "standard"], sql`$5`)} AS balance_before
  FROM (SELECT * FROM ${heldCollections} a WHERE balance IS DISTINCT FROM 0 ORDER BY token, standard LIMIT $4) h
  ORDER BY h.token, h.standard`);

/** Queries for the holders of collections' tokens. */
export function createNftHoldingQueries({ query }: Pick<Database, "query">) {
  /**
   * The collections in which an account held tokens after a block, by address, up to `limit` if set, with their balances after the block `before`; null means
   * before the index.
   */
  const collectionsHeldAt = (chainId: number, owner: Address, block: number, limit: number | null, before: number | null) =>
    query<HeldCollectionRow>(selectCollections, [chainId, bytes(owner), block, limit, before]);

  return { collectionsHeldAt };
}
