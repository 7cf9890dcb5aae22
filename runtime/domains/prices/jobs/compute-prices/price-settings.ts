import type { DatabaseClient, Queryable } from "../../../../database/database.ts";
import { identifier, sql } from "../../../../database/sql.ts";
import { deleteRows } from "../../../../indexer/storage/delete-rows.ts";
import { secondsPerDay, secondsPerHour } from "../../../../lib/time.ts";

export interface StoredSettings {
  /** Identifies the settings that a chain's prices were computed with; null before the first computation. */
  readonly fingerprint: string | null;
  /** The number of times that prices were discarded. */
  readonly revision: number;
}

const noSettings: StoredSettings = { fingerprint: null, revision: 0 };

/** The stored settings of a chain's prices. Served by the primary key. */
export const readSettings = async ({ query }: Queryable, chainId: number): Promise<StoredSettings> =>
  (await query<StoredSettings>("SELECT fingerprint, revision FROM price_settings WHERE chain_id = $1", [chainId]))[0] ?? noSettings;

/** Prevents other processes from writing or discarding the chain's prices until the transaction ends. */
const lockSettings = async (client: DatabaseClient, chainId: number): Promise<StoredSettings> => {
  await client.query("INSERT INTO price_settings (chain_id, revision) VALUES ($1, 0) ON CONFLICT (chain_id) DO NOTHING", [chainId]);
  const rows = await client.query<StoredSettings>("SELECT fingerprint, revision FROM price_settings WHERE chain_id = $1 FOR UPDATE", [
    chainId,
  ]);
  return rows[0] ?? noSettings;
};

/** The indexing loop waits while prices are written; it must not also wait while another process discards years of prices. */
const maxWaitMilliseconds = 500;

/** Like `lockSettings`, with a time limit. @throws {Error} if another process is discarding prices. */
export const lockSettingsWithTimeout = async (client: DatabaseClient, chainId: number): Promise<StoredSettings> => {
  await client.query(sql`SET LOCAL lock_timeout = ${maxWaitMilliseconds}`);
  try {
    return await lockSettings(client, chainId);
  } catch (error) {
    if ((error as { code?: unknown }).code === lockNotAvailable)
      throw new Error(`Cannot write prices of chain ${chainId}: another process is discarding them.`);
    throw error;
  }
};

/** SQLSTATE lock_not_available, which lock_timeout raises. */
const lockNotAvailable = "55P03";

/** Discards a chain's prices from a time on (unix seconds), or all of them, so that the process that indexes the chain recomputes them. */
export async function discardPrices(client: DatabaseClient, chainId: number, since: number | null): Promise<void> {
  await lockSettings(client, chainId);
  await client.query("UPDATE price_settings SET revision = revision + 1 WHERE chain_id = $1", [chainId]);
  if (since === null) {
    await client.query("UPDATE price_settings SET fingerprint = NULL WHERE chain_id = $1", [chainId]);
    for (const table of ["price_hours", "price_days", "priced_assets", "price_progress"]) await deleteRows(client, chainId, table);
    return;
  }
  const [hour, day] = [Math.floor(since / secondsPerHour), Math.floor(since / secondsPerDay)];
  for (const table of ["price_hours", "priced_assets", "price_progress"])
    await client.query(sql`DELETE FROM ${identifier(table)} WHERE chain_id = $1 AND hour >= $2`, [chainId, hour]);
  await client.query("DELETE FROM price_days WHERE chain_id = $1 AND day >= $2", [chainId, day]);
}
