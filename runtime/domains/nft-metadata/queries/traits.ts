import { bytes } from "../../../database/codecs.ts";
import { jsonArrayOf } from "../../../database/columns.ts";
import type { Database } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";

/** A trait of a collection's tokens. */
export interface TraitRow {
  readonly trait: string;
  /** The number of attributes with this trait: in total, with a numeric value, and without a value. */
  readonly entries: number;
  readonly numbers: number;
  readonly without_value: number;
  readonly unique_values: number;
  /** The lowest and the highest numeric value. */
  readonly lowest: string | null;
  readonly highest: string | null;
}

/** A trait value, and the number of tokens with it. */
export interface TraitValue {
  readonly value: string | null;
  readonly tokens: number;
}

/** Queries for the traits of collections, which are counted when metadata is stored. */
export function createTraitQueries({ query }: Pick<Database, "query">) {
  /** The traits of a collection with their counts, by name. Served by the primary key of nft_traits and by nft_trait_values_number. */
  const traits = (chainId: number, token: Address, max: number): Promise<TraitRow[]> =>
    query<TraitRow>(
      `SELECT t.trait, t.entries, t.numbers, t.without_value, t.unique_values, l.number AS lowest, h.number AS highest FROM nft_traits t
       LEFT JOIN LATERAL (SELECT number FROM nft_trait_values v WHERE v.chain_id = $1 AND v.token = $2 AND v.trait = t.trait AND number IS NOT NULL
         ORDER BY number LIMIT 1) l ON t.numbers > 0
       LEFT JOIN LATERAL (SELECT number FROM nft_trait_values v WHERE v.chain_id = $1 AND v.token = $2 AND v.trait = t.trait AND number IS NOT NULL
         ORDER BY number DESC LIMIT 1) h ON t.numbers > 0
       WHERE t.chain_id = $1 AND t.token = $2 ORDER BY t.trait LIMIT $3`,
      [chainId, bytes(token), max],
    );

  /** One trait, or null if no token lists it. Served by the primary key. */
  const trait = async (chainId: number, token: Address, name: string): Promise<Omit<TraitRow, "lowest" | "highest"> | null> => {
    const rows = await query<Omit<TraitRow, "lowest" | "highest">>(
      "SELECT trait, entries, numbers, without_value, unique_values FROM nft_traits WHERE chain_id = $1 AND token = $2 AND trait = $3",
      [chainId, bytes(token), name],
    );
    return rows[0] ?? null;
  };

  /**
   * Values by trait, the most frequent first, at most `max` per trait. Served by nft_trait_values_rank. Each column is returned as one list,
   * because there may be many values.
   */
  const traitValues = async (
    chainId: number,
    token: Address,
    names: readonly string[],
    max: number,
  ): Promise<ReadonlyMap<string, readonly TraitValue[]>> => {
    const valuesByTrait = new Map<string, TraitValue[]>();
    if (names.length === 0) return valuesByTrait;
    const rows = await query<{ trait: string; values: string[]; tokens: number[] }>(
      sql`SELECT n.trait, v.values, v.tokens FROM unnest($3::text[]) AS n(trait) CROSS JOIN LATERAL (
         SELECT ${jsonArrayOf("value")} AS values, ${jsonArrayOf("tokens")} AS tokens FROM (
           SELECT value, tokens FROM nft_trait_values WHERE chain_id = $1 AND token = $2 AND trait = n.trait ORDER BY tokens DESC, value LIMIT $4) ranked) v`,
      [chainId, bytes(token), names, max],
    );
    for (const { trait: name, values, tokens } of rows) {
      valuesByTrait.set(
        name,
        values.map((value, position) => ({ value, tokens: tokens[position] ?? 0 })),
      );
    }
    return valuesByTrait;
  };

  /** The number of tokens in a collection with a stored document. Served by the primary key. */
  const documentCount = async (chainId: number, token: Address): Promise<number> => {
    const [row] = await query<{ metadata_count: number }>("SELECT metadata_count FROM nft_documents WHERE chain_id = $1 AND token = $2", [
      chainId,
      bytes(token),
    ]);
    return row?.metadata_count ?? 0;
  };

  return { traits, trait, traitValues, documentCount };
}
