import type { DatabaseClient } from "../../database/database.ts";
import { identifier, sql } from "../../database/sql.ts";

/** Deletes a chain's rows above a block. Served by the table's index on the block column. */
export const deleteAbove = async (
  client: DatabaseClient,
  chainId: number,
  table: string,
  blockColumn: string,
  block: number,
): Promise<void> => {
  const remove = sql`DELETE FROM ${identifier(table)} WHERE chain_id = $1 AND ${identifier(blockColumn)} > $2`;
  await client.query(remove.text, [chainId, block]);
};

/** Deletes all of a chain's rows. */
export const deleteRows = async (client: DatabaseClient, chainId: number, table: string): Promise<void> => {
  await client.query(sql`DELETE FROM ${identifier(table)} WHERE chain_id = $1`.text, [chainId]);
};
