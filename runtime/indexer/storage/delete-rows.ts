import type { DatabaseClient } from "../../database/database.ts";

/** Deletes a chain's rows above a block. Served by the table's index on it. */
export const dropAbove = async (
  client: DatabaseClient,
  chainId: number,
  table: string,
  blockColumn: string,
  block: number,
): Promise<void> => {
  await client.query(`DELETE FROM ${table} WHERE chain_id = $1 AND ${blockColumn} > $2`, [chainId, block]);
};

/** Deletes all of a chain's rows. */
export const deleteChain = async (client: DatabaseClient, chainId: number, table: string): Promise<void> => {
  await client.query(`DELETE FROM ${table} WHERE chain_id = $1`, [chainId]);
};
