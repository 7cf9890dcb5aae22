import type { Queryable } from "../../database/database.ts";

/**
 * Increases a chain's content version when the transaction commits. Triggers do so for the tables that migration 0039 lists; work that writes to
 * other tables without moving a checkpoint calls this function.
 */
export const recordContentChange = async (client: Queryable, chainId: number): Promise<void> => {
  await client.query("SELECT content_changed($1)", [chainId]);
};
