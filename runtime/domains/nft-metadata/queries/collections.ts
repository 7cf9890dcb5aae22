import type { Database } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";

/** The stored metadata of a collection. */
export interface StoredCollectionRow {
  readonly token: Address;
  /** Tokens with a document. */
  readonly documents: number;
  /** Tokens whose document embeds the asset. */
  readonly assets: number;
  /** When one of its tokens was last read. */
  readonly read_at: Date;
  /** The number of its ids, including burned ones. */
  readonly tokens: number;
}

/** Collection-level queries. */
export function createCollectionQueries({ query }: Pick<Database, "query">) {
  /** The collections with a document read up to a block, by address, and their number. Served by the primary keys of nft_documents and nft_collection_sizes. */
  const storedCollections = async (chainId: number, block: number, limit: number, offset: number) => {
    const fromDocuments = sql`FROM nft_documents WHERE chain_id = $1 AND since_block <= $2`;
    const [rows, counted] = await Promise.all([
      query<StoredCollectionRow>(
        sql`SELECT k.token, k.metadata_count AS documents, k.asset_count AS assets, k.last_read_at AS read_at, coalesce(s.tokens, 0) AS tokens FROM (
           SELECT * ${fromDocuments} ORDER BY token LIMIT $3 OFFSET $4) k
         LEFT JOIN LATERAL (
           SELECT tokens FROM nft_collection_sizes z WHERE z.chain_id = $1 AND z.token = k.token AND z.block_number <= $2
           ORDER BY z.block_number DESC LIMIT 1) s ON true
         ORDER BY k.token`,
        [chainId, block, limit, offset],
      ),
      query<{ count: number }>(sql`SELECT count(*) AS count ${fromDocuments}`, [chainId, block]),
    ]);
    return { rows, total: counted[0]?.count ?? 0 };
  };

  return { storedCollections };
}
