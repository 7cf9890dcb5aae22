import type { Queryable } from "../../../database/database.ts";

/** Queries for the progress and settings of price computation. */
export function createProgressQueries({ query }: Queryable) {
  return {
    /** The last hour (since 1970) with complete prices; null before the first. Served by the primary key. */
    lastPricedHour: async (chainId: number): Promise<number | null> => {
      const rows = await query<{ hour: number }>("SELECT hour FROM price_progress WHERE chain_id = $1 ORDER BY hour DESC LIMIT 1", [
        chainId,
      ]);
      return rows[0]?.hour ?? null;
    },
    /** The hour of the chain's first price; null if there are no prices. Reads all rows of the chain's priced_assets. */
    firstPricedHour: async (chainId: number): Promise<number | null> => {
      const rows = await query<{ hour: number | null }>("SELECT min(hour) AS hour FROM priced_assets WHERE chain_id = $1", [chainId]);
      return rows[0]?.hour ?? null;
    },
    /** Identifies the settings and the revision of the prices; empty if there are no prices. Served by the primary key. */
    priceVersion: async (chainId: number): Promise<string> => {
      const rows = await query<{ version: string }>(
        "SELECT fingerprint || ' ' || revision AS version FROM price_settings WHERE chain_id = $1 AND fingerprint IS NOT NULL",
        [chainId],
      );
      return rows[0]?.version ?? "";
    },
  };
}
