import type { Database, Queryable } from "../database/database.ts";
import { recordAction } from "./actions.ts";
import type { IndexedChain } from "./indexed-chain.ts";

/**
 * Pauses indexing a chain: its indexer stops within seconds, and does not continue when it is restarted. Returns false if it is already paused.
 */
export const pauseChain = (
  database: Pick<Database, "transaction">,
  { id, name, actionLog }: IndexedChain,
  actor: string,
): Promise<boolean> =>
  database.transaction(async (client) => {
    const changed = await client.query("UPDATE chains SET paused_at = now() WHERE chain_id = $1 AND paused_at IS NULL RETURNING 1", [id]);
    if (changed.length === 0) return false;
    await recordAction(actionLog ?? client, { actor, action: "chain.pause", subject: name });
    return true;
  });

/** Whether a chain has been resumed, or why not. */
export type ResumeOutcome = "resumed" | "not paused" | "being removed" | "being restored";

/** Continues indexing a paused chain within seconds, unless it is being removed or restored. */
export const resumeChain = (
  database: Pick<Database, "transaction">,
  { id, name, actionLog }: IndexedChain,
  actor: string,
): Promise<ResumeOutcome> =>
  database.transaction(async (client) => {
    const changed = await client.query(
      `UPDATE chains c SET paused_at = NULL WHERE chain_id = $1 AND paused_at IS NOT NULL AND removal_started_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM chain_restores r WHERE r.chain_id = c.chain_id) RETURNING 1`,
      [id],
    );
    if (changed.length === 0) return obstacleOf(client, id);
    // The indexer was silent on request, so readiness measures its silence from here.
    await client.query("UPDATE indexer_heartbeats SET alive_at = now() WHERE chain_id = $1", [id]);
    await recordAction(actionLog ?? client, { actor, action: "chain.resume", subject: name });
    return "resumed";
  });

/** Why a chain cannot be resumed. */
async function obstacleOf(client: Pick<Queryable, "query">, chainId: number): Promise<ResumeOutcome> {
  const [row] = await client.query<{ is_removed: boolean; is_restored: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM chains c WHERE c.chain_id = $1 AND c.removal_started_at IS NOT NULL) AS is_removed,
       EXISTS (SELECT 1 FROM chain_restores r WHERE r.chain_id = $1) AS is_restored`,
    [chainId],
  );
  if (row?.is_removed) return "being removed";
  return row?.is_restored ? "being restored" : "not paused";
}

/** Whether an operator has paused indexing a chain. Served by the primary key. */
export const isPaused = async (database: Pick<Queryable, "query">, chainId: number): Promise<boolean> =>
  (await database.query("SELECT 1 FROM chains WHERE chain_id = $1 AND paused_at IS NOT NULL", [chainId])).length > 0;
