import type { Database } from "../../../database/database.ts";
import { identifier, plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import { type Load, uncachedLoads } from "../../../lib/cache-loads.ts";
import type { Hash } from "../../../lib/hex.ts";

/** The progress of a chain's index. */
export interface IndexProgress {
  /** The newest indexed block. */
  readonly head: number;
  /** The hash of that block. */
  readonly headHash: Hash;
  /** The first indexed block. */
  readonly firstBlock: number;
  /** The last block of each projection. */
  readonly checkpoints: ReadonlyMap<string, number>;
  /** Projections that are switched off because they failed. */
  readonly failedProjections: ReadonlySet<string>;
  /** Whether an operator is removing the chain, so that some of its rows are missing. */
  readonly isBeingRemoved: boolean;
  /** The version of the chain's content; null if none is recorded. */
  readonly contentVersion: ContentVersion | null;
}

/** Identifies the content of an index: it differs after each transaction that changes what responses contain. */
export interface ContentVersion {
  readonly id: string;
  /** The time of the last of these transactions. */
  readonly changedAt: Date;
}

interface ProgressRow {
  readonly chain_id: number;
  readonly head: number | null;
  readonly hash: Hash | null;
  readonly first: number | null;
  readonly projections: readonly string[];
  readonly blocks: readonly number[];
  readonly failed: readonly string[];
  readonly is_removed: boolean | null;
  readonly version: string | null;
  readonly changed_at: Date | null;
}

const headOf = (table: "blocks" | "bitcoin_blocks"): Sql =>
  sql`SELECT number, hash FROM ${identifier(table)} WHERE chain_id = requested.chain_id ORDER BY number DESC LIMIT 1`;
const selectProgress = plannedOnce(sql`SELECT requested.chain_id,
  coalesce(evm.number, bitcoin.number) AS head, coalesce(evm.hash, bitcoin.hash) AS hash,
  (SELECT indexed_from FROM chains c WHERE c.chain_id = requested.chain_id) AS first,
  (SELECT removal_started_at IS NOT NULL FROM chains c WHERE c.chain_id = requested.chain_id) AS is_removed,
  ARRAY(SELECT projection FROM projection_checkpoints p WHERE p.chain_id = requested.chain_id ORDER BY projection) AS projections,
  ARRAY(SELECT block_number FROM projection_checkpoints p WHERE p.chain_id = requested.chain_id ORDER BY projection) AS blocks,
  ARRAY(SELECT projection FROM projection_checkpoints p WHERE p.chain_id = requested.chain_id AND failure IS NOT NULL) AS failed,
  content.version, content.changed_at
  FROM unnest($1::int8[]) AS requested(chain_id)
  CROSS JOIN LATERAL (SELECT sum(version)::text AS version, max(changed_at) AS changed_at FROM content_versions WHERE chain_id = requested.chain_id) content
  LEFT JOIN LATERAL (${headOf("blocks")}) evm ON true LEFT JOIN LATERAL (${headOf("bitcoin_blocks")}) bitcoin ON true`);

export type ProgressQueries = ReturnType<typeof createProgressQueries>;

/** Queries for indexing progress; `cache` may wrap the load to cache its results. */
export const createProgressQueries = (
  { query }: Pick<Database, "query">,
  cache: (load: Load<number, IndexProgress>) => Load<number, IndexProgress> = uncachedLoads,
) => ({
  /**
   * The progress of chains by id, and possibly of others, because concurrent requests share the statement; chains without blocks are omitted. Served by the
   * primary keys of blocks, bitcoin_blocks, chains, projection_checkpoints and content_versions.
   */
  progressOf: cache(async (chainIds: readonly number[]): Promise<ReadonlyMap<number, IndexProgress>> => {
    const rows = await query<ProgressRow>(selectProgress, [chainIds]);
    return new Map(
      rows.flatMap(
        ({ chain_id: chainId, head, hash, first, projections, blocks, failed, is_removed: isRemoved, version, changed_at: changedAt }) => {
          if (head === null || hash === null) return [];
          const checkpoints = new Map(projections.map((projection, position) => [projection, blocks[position] ?? -1]));
          // The time distinguishes versions of an index that was deleted in between.
          const content = changedAt === null ? null : { id: `${version}.${changedAt.getTime()}`, changedAt };
          return [
            [
              chainId,
              {
                head,
                headHash: hash,
                firstBlock: first ?? 0,
                checkpoints,
                failedProjections: new Set(failed),
                isBeingRemoved: isRemoved === true,
                contentVersion: content,
              },
            ] as const,
          ];
        },
      ),
    );
  }),
});
