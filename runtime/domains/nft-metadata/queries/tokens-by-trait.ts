import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { nothing, type Sql, sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import type { NftTokenRow } from "../../nft/queries/tokens.ts";
import { standards } from "../../tokens/projection/standards.ts";
import type { TraitFilter } from "./trait-filter.ts";

const maxCounted = 10_000;

/** The number of ids of collection $2, now or as of block $3. Served by the primary key. */
const sizeBy = (bound: Sql): Sql =>
  sql`coalesce((SELECT tokens FROM nft_collection_sizes WHERE chain_id = $1 AND token = $2 ${bound} ORDER BY block_number DESC LIMIT 1), 0)`;

/**
 * The ids of collection $2 that match a filter: at least $6 ids that existed as of block $3, the lowest ones if `isOrdered`. The traits ($4, or all of
 * nft_traits if it is null) and the values ($5) form pairs, each a range of nft_attributes_by_value in id order. If $5 is null, all ids of
 * a trait are read.
 */
const withMatchingIds = ({ traits, values }: TraitFilter, isOrdered: boolean): Sql => {
  const order = isOrdered ? sql`ORDER BY token_id` : nothing;
  const all = sql`SELECT trait FROM nft_traits WHERE chain_id = $1 AND token = $2 AND $4::text[] IS NULL`;
  const named = traits === null ? all : sql`SELECT unnest($4::text[])`;
  const wanted = values === null ? nothing : sql`CROSS JOIN unnest($5::text[]) AS w(wanted)`;
  const isWanted = values === null ? sql`$5::text[] IS NULL` : sql`a.value = w.wanted`;
  return sql`WITH newer AS MATERIALIZED (SELECT ${sizeBy(nothing)} - ${sizeBy(sql`AND block_number <= $3`)} AS ids), matched AS MATERIALIZED (
      SELECT DISTINCT m.token_id FROM (${named}) n(named) ${wanted} CROSS JOIN LATERAL (
        SELECT DISTINCT a.token_id FROM nft_attributes a WHERE a.chain_id = $1 AND a.token = $2 AND a.trait = n.named AND ${isWanted}
        ${order} LIMIT $6 + (SELECT ids FROM newer)) m
      ${order} LIMIT $6 + (SELECT ids FROM newer))`;
};

const joined = sql`FROM matched m JOIN nft_tokens t ON t.chain_id = $1 AND t.token = $2 AND t.token_id = m.token_id WHERE t.block_number <= $3`;

/** If no id is newer than the block and the contract has one standard, each id is one token and needs no lookup. Served by the primary key. */
const hasOneTokenPerId = sql`(SELECT ids FROM newer) = 0 AND (SELECT count(*) FROM token_standards
  WHERE chain_id = $1 AND address = $2 AND standard IN (${standards.erc721}, ${standards.erc1155})) < 2`;

/** Queries for a collection's tokens that match a trait filter. */
export function createTokensByTraitQueries({ query }: Pick<Database, "query">) {
  /**
   * A collection's tokens, as of a block, whose current metadata matches a filter, ascending, and their number, null above 10,000. Each match takes one
   * probe of nft_tokens.
   */
  const nftTokensByTrait = async (chainId: number, token: Address, block: number, filter: TraitFilter, limit: number, offset: number) => {
    const parameters = [chainId, bytes(token), block, filter.traits, filter.values];
    const [rows, counted] = await Promise.all([
      query<NftTokenRow>(
        sql`${withMatchingIds(filter, true)} SELECT t.token_id, t.standard, t.original_owner ${joined}
         ORDER BY t.token_id, t.standard LIMIT $7 OFFSET $8`,
        [...parameters, offset + limit, limit, offset],
      ),
      query<{ count: number }>(
        sql`${withMatchingIds(filter, false)} SELECT CASE WHEN ${hasOneTokenPerId} THEN (SELECT count(*) FROM matched) ELSE (SELECT count(*) ${joined}) END AS count`,
        [...parameters, maxCounted + 1],
      ),
    ]);
    const count = counted[0]?.count ?? 0;
    return { rows, total: count > maxCounted ? null : count };
  };

  return { nftTokensByTrait };
}
