import type { Database, Queryable } from "../database/database.ts";
import { recordAction } from "./actions.ts";
import type { IndexedChain } from "./indexed-chain.ts";

/**
 * Pauses indexing a chain: its indexer stops within seconds, and does not continue when it is restarted. Returns false if it is already paused.
 */
export const pauseChain = (database: Pick<Database, "transaction">, { id, name, log }: IndexedChain, actor: string): Promise<boolean> =>
  database.transaction(async (client) => {
    const changed = await client.query("UPDATE chains SET paused_at = now() WHERE chain_id = $1 AND paused_at IS NULL RETURNING 1", [id]);
    if (changed.length === 0) return false;
    await recordAction(log ?? client, { actor, action: "chain.pause", subject: name });
    return true;
  });

/** Continues indexing a chain within seconds. Returns false if it is not paused, or is being removed or restored. */
export const resumeChain = (database: Pick<Database, "transaction">, { id, name, log }: IndexedChain, actor: string): Promise<boolean> =>
  database.transaction(async (client) => {
    const changed = await client.query(
      `UPDATE chains c SET paused_at = NULL WHERE chain_id = $1 AND paused_at IS NOT NULL AND removal_started_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM chain_restores r WHERE r.chain_id = c.chain_id) RETURNING 1`,
      [id],
    );
    if (changed.length === 0) return false;
    // The indexer was silent on request, so readiness measures its silence from here.
    await client.query("UPDATE indexer_heartbeats SET alive_at = now() WHERE chain_id = $1", [id]);
    await recordAction(log ?? client, { actor, action: "chain.resume", subject: name });
    return true;
  });

/** Whether an operator has paused indexing a chain. Served by the primary key. */
export const isPaused = async (database: Pick<Queryable, "query">, chainId: number): Promise<boolean> =>
  (await database.query("SELECT 1 FROM chains WHERE chain_id = $1 AND paused_at IS NOT NULL", [chainId])).length > 0;
