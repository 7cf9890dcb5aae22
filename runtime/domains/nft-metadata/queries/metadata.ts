import { bytesArray } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { identifier, plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import { portionsOf } from "../../../lib/portions.ts";
import { forEachInTurns } from "../../../lib/turns.ts";
import type { NftKey } from "../../nft/queries/tokens.ts";
import type { NftAttribute } from "../jobs/fetch/documents/document.ts";

/** The metadata of a token, stored or just read. */
export interface NftMetadataRow {
  readonly token: Address;
  readonly token_id: string;
  readonly token_url: string | null;
  /** Why there is no document, or which parts of it were omitted. */
  readonly refusal: string | null;
  readonly has_document: boolean;
  readonly name: string | null;
  readonly description: string | null;
  readonly image: string | null;
  readonly animation_url: string | null;
  readonly external_url: string | null;
  readonly owner: string | null;
  readonly attributes: readonly NftAttribute[] | null;
  /** The size of an asset embedded in the document. */
  readonly asset_bytes: number | null;
}

/** A token id as a map key. The standard is not part of the key: a contract has one document per id. */
export const metadataKeyText = ({ token, token_id: id }: Pick<NftKey, "token" | "token_id">): string => `${token}:${id}`;

/**
 * The columns of `NftMetadataRow` except the token and its id, for the token whose key has the alias `key`. A token queued for a retry has
 * the reason for its last failure; an unread token has no row. Served by the primary key, and by the queue's for a token without a row.
 * The document itself, up to a megabyte, is not selected.
 */
export const selectMetadata = (key: string): Sql => {
  const [token, id] = [identifier(`${key}.token`), identifier(`${key}.token_id`)];
  return sql`SELECT token_url, refusal, document IS NOT NULL AS has_document, name, description, image, animation_url, external_url, owner, attributes, asset_bytes
    FROM nft_metadata d WHERE d.chain_id = $1 AND d.token = ${token} AND d.token_id = ${id}
    UNION ALL
    SELECT url, 'Will be retried: ' || problem, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM nft_reads r WHERE r.chain_id = $1 AND r.token = ${token} AND r.token_id = ${id} AND r.problem IS NOT NULL
    LIMIT 1`;
};

const selectOfKeys = plannedOnce(sql`SELECT k.token, k.token_id, m.*
  FROM unnest($2::bytea[], $3::numeric[]) AS k(token, token_id) CROSS JOIN LATERAL (${selectMetadata("k")}) m`);

/** Queries for the stored metadata of tokens. */
export function createStoredMetadataQueries({ query }: Pick<Database, "query">) {
  /** The metadata of tokens by `metadataKeyText`; unread tokens are omitted. One probe per token (see `selectMetadata`). */
  const metadataOf = async (
    chainId: number,
    keys: readonly Pick<NftKey, "token" | "token_id">[],
  ): Promise<ReadonlyMap<string, NftMetadataRow>> => {
    const found = new Map<string, NftMetadataRow>();
    for (const portion of portionsOf(keys)) {
      const rows = await query<NftMetadataRow>(selectOfKeys, [
        chainId,
        bytesArray(portion.map(({ token }) => token)),
        portion.map((key) => key.token_id),
      ]);
      await forEachInTurns(rows, (row) => void found.set(metadataKeyText(row), row));
    }
    return found;
  };

  return { metadataOf };
}
