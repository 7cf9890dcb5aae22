import { bytesArray } from "../../../../database/codecs.ts";
import type { Queryable } from "../../../../database/database.ts";
import type { Hash } from "../../../../lib/hex.ts";

/** A stored block that prices are computed up to. */
export interface BlockRef {
  readonly number: number;
  readonly hash: Hash;
  readonly time: number;
}

/** Price computation's queries for a chain's blocks. */
export function createBlockEvidence({ query }: Queryable, chainId: number) {
  return {
    /** The indexed head. Served by the primary key of blocks. */
    head: async (): Promise<BlockRef | null> => {
      const rows = await query<BlockRef>(
        "SELECT number, hash, timestamp AS time FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1",
        [chainId],
      );
      return rows[0] ?? null;
    },
    /** The first indexed block. Served by the primary key of blocks. */
    first: async (): Promise<BlockRef | null> => {
      const rows = await query<BlockRef>("SELECT number, hash, timestamp AS time FROM blocks WHERE chain_id = $1 ORDER BY number LIMIT 1", [
        chainId,
      ]);
      return rows[0] ?? null;
    },
    /** The last block before a time. Served by blocks_timestamp. */
    lastBefore: async (time: number): Promise<BlockRef | null> => {
      const rows = await query<BlockRef>(
        `SELECT number, hash, timestamp AS time FROM blocks WHERE chain_id = $1 AND timestamp < $2
         ORDER BY timestamp DESC, number DESC LIMIT 1`,
        [chainId, time],
      );
      return rows[0] ?? null;
    },
    /** Whether all of the given blocks are on the indexed chain. Served by the primary key of blocks. */
    areCanonical: async (blocks: readonly BlockRef[]): Promise<boolean> => {
      const rows = await query(
        "SELECT FROM blocks WHERE chain_id = $1 AND (number, hash) IN (SELECT * FROM unnest($2::int8[], $3::bytea[]))",
        [chainId, blocks.map(({ number }) => number), bytesArray(blocks.map(({ hash }) => hash))],
      );
      return rows.length === blocks.length;
    },
    /**
     * The first block at or after each time (unix seconds); null if the time is not after the first block, or is after the last one. Served by
     * blocks_timestamp.
     */
    blocksFrom: async (times: readonly number[]): Promise<Map<number, number | null>> => {
      const rows = await query<{ time: number; number: number | null }>(
        `SELECT t.time, CASE WHEN (SELECT timestamp FROM blocks b WHERE b.chain_id = $1 ORDER BY b.number LIMIT 1) < t.time THEN
           (SELECT number FROM blocks b WHERE b.chain_id = $1 AND b.timestamp >= t.time ORDER BY b.timestamp, b.number LIMIT 1) END AS number
         FROM unnest($2::int8[]) AS t(time)`,
        [chainId, times],
      );
      return new Map(rows.map(({ time, number }) => [time, number]));
    },
  };
}
