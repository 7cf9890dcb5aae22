import type { DatabaseClient } from "../database/database.ts";
import { deleteChain, dropAbove } from "./delete-rows.ts";
import type { LatestTable, Projection } from "./projection.ts";

/** A table that no projection writes, and that speaks of blocks all the same. */
export interface FollowingTable {
  readonly name: string;
  readonly blockColumn: string;
}

/**
 * Takes everything above a block out of the index: append tables lose the rows above it, tables of latest values are rebuilt for the touched keys
 * from their history. `baseBlock` rows are what the node said of the state before the index; they go with the last row that needed them.
 */
export const rollBack = async (
  client: DatabaseClient,
  chainId: number,
  ancestor: number,
  baseBlock: number,
  projections: readonly Projection[],
  following: readonly FollowingTable[],
): Promise<void> => {
  for (const projection of projections) {
    const latest = projection.tables.filter((table) => table.kind === "latest");
    for (const table of latest) await rememberTouched(client, chainId, ancestor, table);
    for (const table of projection.tables) {
      if (table.kind === "latest") continue;
      await dropAbove(client, chainId, table.name, (table.kind === "append" ? table.blockColumn : undefined) ?? "block_number", ancestor);
    }
    for (const table of latest) await rebuild(client, chainId, baseBlock, table);
  }
  for (const table of following) await dropAbove(client, chainId, table.name, table.blockColumn, ancestor);
  await client.query("UPDATE projection_checkpoints SET block_number = least(block_number, $2) WHERE chain_id = $1", [chainId, ancestor]);
};

const touchedOf = (table: LatestTable): string => `touched_${table.name}`;

/** Served by the history table's BRIN index on block_number. */
const rememberTouched = async (client: DatabaseClient, chainId: number, ancestor: number, table: LatestTable): Promise<void> => {
  const key = table.key.join(", ");
  await client.query(`CREATE TEMP TABLE ${touchedOf(table)} ON COMMIT DROP AS SELECT ${key} FROM ${table.history} WITH NO DATA`);
  await client.query(
    `INSERT INTO ${touchedOf(table)} SELECT DISTINCT ${key} FROM ${table.history} WHERE chain_id = $1 AND block_number > $2`,
    [chainId, ancestor],
  );
  // Without statistics a handful of keys would be joined by reading the whole history.
  await client.query(`ANALYZE ${touchedOf(table)}`);
};

const rebuild = async (client: DatabaseClient, chainId: number, baseBlock: number, table: LatestTable): Promise<void> => {
  const columns = Object.keys(table.columns);
  const same = (left: string, right: string) => table.key.map((column) => `${left}.${column} = ${right}.${column}`).join(" AND ");
  await client.query(
    `DELETE FROM ${table.history} h USING ${touchedOf(table)} k WHERE h.chain_id = $1 AND ${same("h", "k")} AND h.block_number <= $2
     AND NOT EXISTS (SELECT 1 FROM ${table.history} o WHERE o.chain_id = $1 AND ${same("o", "k")} AND o.block_number > $2)`,
    [chainId, baseBlock],
  );
  await client.query(`DELETE FROM ${table.name} t USING ${touchedOf(table)} k WHERE t.chain_id = $1 AND ${same("t", "k")}`, [chainId]);
  await client.query(
    `INSERT INTO ${table.name} (chain_id, ${columns.join(", ")}) SELECT $1, ${columns.map((column) => `v.${column}`).join(", ")}
     FROM ${touchedOf(table)} k CROSS JOIN LATERAL (
       SELECT * FROM ${table.history} h WHERE h.chain_id = $1 AND ${same("h", "k")} ORDER BY h.block_number DESC LIMIT 1) v`,
    [chainId],
  );
};

/** Empties a projection for one chain, so that it can be built again; work that waits for others stays. */
export const clearProjection = async (client: DatabaseClient, chainId: number, projection: Projection): Promise<void> => {
  for (const table of projection.tables) if (table.kind !== "queue") await deleteChain(client, chainId, table.name);
};
