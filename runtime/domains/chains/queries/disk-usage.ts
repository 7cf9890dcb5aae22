import type { Queryable } from "../../../database/database.ts";

/** The disk space and rows of a chain, estimated from PostgreSQL's statistics. */
export interface DiskUsage {
  readonly bytes: number;
  readonly rows: number;
  readonly transactions: number;
}

/**
 * Estimates a chain's rows, and its share of the tables and their indexes, from its share of each table's rows as of the last ANALYZE. Reads only catalogs:
 * counting would scan the entire index.
 */
export async function estimateDiskUsage({ query }: Pick<Queryable, "query">, chainId: number): Promise<DiskUsage> {
  const [usage] = await query<DiskUsage>(
    `SELECT coalesce(sum(bytes * share), 0)::int8 AS bytes, coalesce(sum(rows * share), 0)::int8 AS rows,
       coalesce(sum(rows * share) FILTER (WHERE name IN ('transactions', 'bitcoin_transactions')), 0)::int8 AS transactions
     FROM (SELECT c.relname AS name, pg_total_relation_size(c.oid) AS bytes, greatest(c.reltuples, 0)::float8 AS rows,
         coalesce((SELECT frequency FROM unnest(s.most_common_vals::text::int8[], s.most_common_freqs) AS m(value, frequency) WHERE value = $1), 0) AS share
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'chain_id' AND NOT a.attisdropped
       LEFT JOIN pg_stats s ON s.schemaname = 'public' AND s.tablename = c.relname AND s.attname = 'chain_id'
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r') t`,
    [chainId],
  );
  return usage ?? { bytes: 0, rows: 0, transactions: 0 };
}
