import type { Database } from "../../../database/database.ts";

/** Questions about how far the making of prices has come, and what they were made by. */
export function createProgressQueries({ query }: Pick<Database, "query">) {
  /** The last hour (since 1970) whose prices are done; null before the first. Served by the primary key. */
  const lastPricedHour = async (chainId: number): Promise<number | null> => {
    const rows = await query<{ hour: number }>("SELECT hour FROM price_progress WHERE chain_id = $1 ORDER BY hour DESC LIMIT 1", [chainId]);
    return rows[0]?.hour ?? null;
  };

  /** The hour of the first price that anything had; null before one is known. Reads the list of what ever had one. */
  const firstPricedHour = async (chainId: number): Promise<number | null> => {
    const rows = await query<{ hour: number | null }>("SELECT min(hour) AS hour FROM priced_assets WHERE chain_id = $1", [chainId]);
    return rows[0]?.hour ?? null;
  };

  /** What the prices were made by, and how often they were undone; empty while none were made. Served by the primary key. */
  const pricedBy = async (chainId: number): Promise<string> => {
    const rows = await query<{ made: string }>(
      "SELECT fingerprint || ' ' || revision AS made FROM price_settings WHERE chain_id = $1 AND fingerprint IS NOT NULL",
      [chainId],
    );
    return rows[0]?.made ?? "";
  };

  return { lastPricedHour, firstPricedHour, pricedBy };
}
