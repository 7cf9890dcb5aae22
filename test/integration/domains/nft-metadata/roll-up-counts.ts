import type { Database } from "../../../../runtime/database/database.ts";

/** Returns the stored roll-ups and the same figures counted from the stored metadata. */
export const countsOf = async ({ query }: Pick<Database, "query">) => {
  const stored = {
    values: await query("SELECT token, trait, value, tokens, numbers, number FROM nft_trait_values ORDER BY token, trait, value"),
    traits: await query("SELECT token, trait, entries, numbers, without_value, unique_values FROM nft_traits ORDER BY token, trait"),
    documents: await query("SELECT token, metadata_count, asset_count, refused_count FROM nft_documents ORDER BY token"),
  };
  const counted = {
    values: await query(
      `SELECT token, trait, value, count(DISTINCT token_id) AS tokens, count(number) AS numbers, max(number) AS number FROM nft_attributes
       WHERE value IS NOT NULL GROUP BY token, trait, value ORDER BY token, trait, value`,
    ),
    traits: await query(
      `SELECT token, trait, count(*) AS entries, count(number) AS numbers, count(*) FILTER (WHERE value IS NULL) AS without_value,
         count(DISTINCT value) AS unique_values FROM nft_attributes GROUP BY token, trait ORDER BY token, trait`,
    ),
    documents: await query(
      `SELECT token, count(document) AS metadata_count, count(asset_bytes) AS asset_count, count(*) FILTER (WHERE document IS NULL) AS refused_count
       FROM nft_metadata GROUP BY token ORDER BY token`,
    ),
  };
  return { stored, counted };
};
