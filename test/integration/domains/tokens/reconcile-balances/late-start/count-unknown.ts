import type { Database } from "../../../../../../runtime/database/database.ts";

/** The number of balances that are unknown until they are reconciled. */
export const countUnknown = async (database: Database): Promise<number> => {
  const [row] = await database.query<{ rows: number }>(
    "SELECT count(*) FILTER (WHERE balance IS NULL AND net_change IS NOT NULL) AS rows FROM (SELECT balance, net_change FROM balances UNION ALL SELECT balance, net_change FROM nft_balances) b",
  );
  return row?.rows ?? 0;
};
