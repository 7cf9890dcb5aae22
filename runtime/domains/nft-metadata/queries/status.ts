import type { Queryable } from "../../../database/database.ts";
import type { Address } from "../../../lib/hex.ts";

/** A permanent or temporary reason why tokens have no document, and the number of tokens. */
export interface Reason {
  readonly reason: string;
  readonly tokens: number;
}

/** The progress of fetching a collection's metadata. */
export interface CollectionStatus {
  readonly token: Address;
  readonly pending: number;
  /** When the oldest pending token was queued; null if none are pending. */
  readonly oldest: Date | null;
  readonly fetched: number;
  readonly rejected: number;
  /** Most frequent first. */
  readonly refusals: readonly Reason[];
  /** The last failures of pending tokens, which are retried. */
  readonly problems: readonly Reason[];
}

/**
 * The progress of each collection, ordered by the numbers of pending and rejected tokens, descending. Reads the queue, nft_documents and
 * nft_metadata_refused of a chain.
 */
export const readMetadataStatus = async ({ query }: Queryable, chainId: number): Promise<CollectionStatus[]> => {
  const rows = await query<CollectionStatus>(
    `WITH waiting AS (
       SELECT token, sum(tokens)::int8 AS pending, min(oldest) AS oldest,
         coalesce(json_agg(json_build_object('reason', problem, 'tokens', tokens) ORDER BY tokens DESC, problem) FILTER (WHERE problem IS NOT NULL), '[]') AS problems
       FROM (SELECT token, problem, count(*) AS tokens, min(queued_at) AS oldest FROM nft_reads WHERE chain_id = $1 GROUP BY token, problem) q GROUP BY token
     ), refused AS (
       SELECT token, json_agg(json_build_object('reason', reason, 'tokens', tokens) ORDER BY tokens DESC, reason) AS refusals FROM (
         SELECT token, left(refusal, 200) AS reason, count(*) AS tokens FROM nft_metadata WHERE chain_id = $1 AND document IS NULL GROUP BY token, left(refusal, 200)) r
       GROUP BY token
     ), stored AS (SELECT token, metadata_count, refused_count FROM nft_documents WHERE chain_id = $1)
     SELECT token, coalesce(pending, 0) AS pending, oldest, coalesce(metadata_count, 0) AS fetched, coalesce(refused_count, 0) AS rejected,
       coalesce(refusals, '[]') AS refusals, coalesce(problems, '[]') AS problems
     FROM waiting FULL JOIN stored USING (token) LEFT JOIN refused USING (token) ORDER BY pending DESC, rejected DESC, token`,
    [chainId],
  );
  return rows;
};
