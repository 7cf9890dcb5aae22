import type { DatabaseClient } from "../../../../database/database.ts";

/**
 * Takes the lock for writing several rows of a chain's metadata or of its queue until the end of the transaction: writers can then lock rows in any order
 * without deadlocks. A transaction that also locks a row of `blocks` must lock that row first, as a roll-back does.
 */
export const lockQueue = async (client: DatabaseClient, chainId: number): Promise<void> => {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('ashlar reads metadata of chain ' || $1::text, 0))", [chainId]);
};
