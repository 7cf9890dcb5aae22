import type { DatabaseClient } from "../../../../database/database.ts";

/**
 * Takes the lock for writing several rows of a chain's metadata or of its queue, until the end of the transaction: writers then lock rows in any order
 * without deadlocks. A row of `blocks` is locked before it, as in a rollback.
 */
export const lockQueue = async (client: DatabaseClient, chainId: number): Promise<void> => {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('ashlar reads metadata of chain ' || $1::text, 0))", [chainId]);
};
