import type { Queryable } from "../../../database/database.ts";
import { identifier, sql } from "../../../database/sql.ts";
import { projectionIdOf, readsTable, scheduleTableName } from "../relations.ts";

/** The tables of queued and scheduled reads, which all protocols share. */
export const queueTableNames = [readsTable.name, scheduleTableName];

/**
 * Deletes the checkpoints, queued reads and records of protocols whose tables are missing: the indexer recreates them and fills them from the stored
 * ledger.
 */
export async function resetProtocols(client: Pick<Queryable, "query">, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await client.query("DELETE FROM projection_checkpoints WHERE projection = ANY ($1)", [ids.map(projectionIdOf)]);
  for (const table of queueTableNames) await client.query(sql`DELETE FROM ${identifier(table)} WHERE protocol = ANY ($1)`, [ids]);
  await client.query("DELETE FROM community_protocols WHERE id = ANY ($1)", [ids]);
}

/** Deletes the checkpoints and queued reads of protocols on one chain: the indexer fills their tables from its stored ledger. */
export async function resetProtocolsOnChain(client: Pick<Queryable, "query">, ids: readonly string[], chainId: number): Promise<void> {
  await client.query("DELETE FROM projection_checkpoints WHERE chain_id = $1 AND projection = ANY ($2)", [
    chainId,
    ids.map(projectionIdOf),
  ]);
  for (const table of queueTableNames)
    await client.query(sql`DELETE FROM ${identifier(table)} WHERE chain_id = $1 AND protocol = ANY ($2)`, [chainId, ids]);
}
