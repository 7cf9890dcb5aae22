import type { DatabaseClient } from "../../database/database.ts";

/** Deletes a chain's rows above a block. Served by the table's index on the block column. */
export const deleteAbove = async (
  client: DatabaseClient,
  chainId: number,
  table: string,
  blockColumn: string,
  block: number,
): Promise<void> => {
  await client.query(`DELETE FROM ${table} WHERE chain_id = $1 AND ${blockColumn} > $2`, [chainId, block]);
};

/** Deletes all rows of a chain. */
export const deleteRows = async (client: DatabaseClient, chainId: number, table: string): Promise<void> => {
  await client.query(`DELETE FROM ${table} WHERE chain_id = $1`, [chainId]);
};
