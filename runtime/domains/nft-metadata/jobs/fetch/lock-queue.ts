import type { DatabaseClient } from "../../../../database/database.ts";

/**
 * Whoever writes several rows of a chain's metadata or of its queue takes this lock first, until its transaction ends: rows are then locked in any order without
 * two writers waiting for each other. A row of `blocks` that is held as well is held before it, as a roll-back takes those first.
 */
export const lockQueue = async (client: DatabaseClient, chainId: number): Promise<void> => {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('ashlar reads metadata of chain ' || $1::text, 0))", [chainId]);
};
