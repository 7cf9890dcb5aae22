import type { DatabaseClient, Queryable } from "../../../../database/database.ts";
import { deleteRows } from "../../../../indexer/storage/delete-rows.ts";
import { secondsOfDay, secondsOfHour } from "../../../../lib/time.ts";

/** What a chain's prices were made by, null before any; and how often they were undone on purpose. */
export interface MadeBy {
  readonly fingerprint: string | null;
  readonly revision: number;
}

const nothing: MadeBy = { fingerprint: null, revision: 0 };

export const readSettings = async ({ query }: Queryable, chainId: number): Promise<MadeBy> =>
  (await query<MadeBy>("SELECT fingerprint, revision FROM price_settings WHERE chain_id = $1", [chainId]))[0] ?? nothing;

/** Keeps others from writing or undoing the chain's prices until the transaction ends. */
const lockSettings = async (client: DatabaseClient, chainId: number): Promise<MadeBy> => {
  await client.query("INSERT INTO price_settings (chain_id, revision) VALUES ($1, 0) ON CONFLICT (chain_id) DO NOTHING", [chainId]);
  const rows = await client.query<MadeBy>("SELECT fingerprint, revision FROM price_settings WHERE chain_id = $1 FOR UPDATE", [chainId]);
  return rows[0] ?? nothing;
};

/** The loop of the chain waits while prices are written, and must not wait for an operator who undoes those of years. */
const maxWaitMilliseconds = 500;

/** The same; not for long. @throws {Error} while somebody else undoes them. */
export const lockFreeSettings = async (client: DatabaseClient, chainId: number): Promise<MadeBy> => {
  await client.query(`SET LOCAL lock_timeout = ${maxWaitMilliseconds}`);
  try {
    return await lockSettings(client, chainId);
  } catch (error) {
    if ((error as { code?: unknown }).code === lockNotAvailable) throw new Error("prices are being undone by another process");
    throw error;
  }
};

/** SQLSTATE lock_not_available, which is what lock_timeout raises. */
const lockNotAvailable = "55P03";

/**
 * Undoes a chain's prices from a time on (unix seconds), or all of them, so that they are made anew: by the process that indexes the chain, or the next
 * one that does.
 */
export async function undoPrices(client: DatabaseClient, chainId: number, since: number | null): Promise<void> {
  await lockSettings(client, chainId);
  await client.query("UPDATE price_settings SET revision = revision + 1 WHERE chain_id = $1", [chainId]);
  if (since === null) {
    await client.query("UPDATE price_settings SET fingerprint = NULL WHERE chain_id = $1", [chainId]);
    for (const table of ["price_hours", "price_days", "priced_assets", "price_progress"]) await deleteRows(client, chainId, table);
    return;
  }
  const [hour, day] = [Math.floor(since / secondsOfHour), Math.floor(since / secondsOfDay)];
  for (const table of ["price_hours", "priced_assets", "price_progress"])
    await client.query(`DELETE FROM ${table} WHERE chain_id = $1 AND hour >= $2`, [chainId, hour]);
  await client.query("DELETE FROM price_days WHERE chain_id = $1 AND day >= $2", [chainId, day]);
}
