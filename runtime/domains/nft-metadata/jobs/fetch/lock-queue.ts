import type { DatabaseClient } from "../../../../database/database.ts";

/**
 * Locks a chain's metadata and its queue for multi-row writes until the transaction ends: writers can then lock rows in any order without
 * deadlocks. A transaction that also locks a row of `blocks` must lock that row first, as a rollback does.
 */
export const lockQueue = async (client: DatabaseClient, chainId: number): Promise<void> => {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('ashlar reads metadata of chain ' || $1::text, 0))", [chainId]);
};
