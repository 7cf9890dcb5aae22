import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import { type HeldNftRow, heldIds } from "../../nft/queries/holders.ts";
import type { TraitFilter } from "./trait-filter.ts";

/** Queries for the tokens of an account that match a trait filter. */
export function createHeldByTraitQueries({ query }: Pick<Database, "query">) {
  /**
   * The ids of a collection that an account held after a block and whose current metadata matches a filter, ascending, up to `limit`. Served by the primary
   * keys of nft_balances, blocks and nft_attributes.
   */
  const idsHeldByTrait = (chainId: number, owner: Address, token: Address, block: number, filter: TraitFilter, limit: number) =>
    query<HeldNftRow>(
      sql`SELECT h.token, h.token_id, h.standard, h.balance, b.timestamp AS moved_at FROM (
         SELECT * FROM ${heldIds} a WHERE balance IS DISTINCT FROM 0 AND EXISTS (
           SELECT FROM nft_attributes n WHERE n.chain_id = $1 AND n.token = a.token AND n.token_id = a.token_id
             AND ($7::text[] IS NULL OR n.trait = ANY ($7)) AND ($8::text[] IS NULL OR n.value = ANY ($8)))
         ORDER BY token_id, standard LIMIT $6) h
       LEFT JOIN blocks b ON b.chain_id = $1 AND b.number = h.since_block ORDER BY h.token_id, h.standard`,
      [chainId, bytes(owner), block, bytes(token), null, limit, filter.traits, filter.values],
    );

  return { idsHeldByTrait };
}
