import type { Queryable } from "../../database/database.ts";

/**
 * Increases the content version of a chain when the transaction commits. Triggers do so for the tables that migration 0039 lists; work that writes to others
 * without moving a checkpoint calls this.
 */
export const recordContentChange = async (client: Queryable, chainId: number): Promise<void> => {
  await client.query("SELECT content_changed($1)", [chainId]);
};
