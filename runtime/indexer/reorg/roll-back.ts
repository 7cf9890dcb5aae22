import type { DatabaseClient } from "../../database/database.ts";
import { type LatestTable, type Projection, valuesOf } from "../projection.ts";
import { deleteAbove, deleteRows } from "../storage/delete-rows.ts";

/** A table of block-bound rows that no projection writes. */
export interface FollowingTable {
  readonly name: string;
  readonly blockColumn: string;
  /** Runs before the rows above the ancestor are deleted, when the projections' tables are rolled back already. */
  readonly beforeDelete?: (client: DatabaseClient, chainId: number, ancestor: number) => Promise<void>;
}

/**
 * Deletes everything above a block from the index: append tables lose the rows above it, and in tables of latest values a row that was set above it is replaced by
 * the period that contains the block. A period that begins at or before `baseBlock` is a base value: it is deleted with the last row that required it.
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
    for (const table of projection.tables) {
      if (table.kind === "latest") await restorePeriods(client, chainId, ancestor, baseBlock, table);
      // Periods are rolled back with their table of latest values.
      else if (table.kind !== "periods") {
        await deleteAbove(
          client,
          chainId,
          table.name,
          (table.kind === "append" ? table.blockColumn : undefined) ?? "block_number",
          ancestor,
        );
      }
    }
  }
  for (const table of following) {
    await table.beforeDelete?.(client, chainId, ancestor);
    await deleteAbove(client, chainId, table.name, table.blockColumn, ancestor);
  }
  await client.query("UPDATE projection_checkpoints SET block_number = least(block_number, $2) WHERE chain_id = $1", [chainId, ancestor]);
};

/**
 * The periods of a key follow each other without a gap up to its current row. So a key was touched above the ancestor exactly if its current row was set there
 * (served by the latest table's index on since_block), and the period that contains the ancestor is the last one that begins at or before it (by the primary key).
 */
const restorePeriods = async (
  client: DatabaseClient,
  chainId: number,
  ancestor: number,
  baseBlock: number,
  table: LatestTable,
): Promise<void> => {
  const { name, periods, key } = table;
  if (periods === null) return;
  const touched = `touched_${name}`;
  const values = valuesOf(table);
  const columns = (alias: string, names: readonly string[]) => names.map((column) => `${alias}.${column}`).join(", ");
  const same = (left: string, right: string) => key.map((column) => `${left}.${column} = ${right}.${column}`).join(" AND ");
  // CREATE TABLE AS accepts no parameters here: the table is created empty, then filled.
  await client.query(
    `CREATE TEMP TABLE ${touched} ON COMMIT DROP AS SELECT ${[...key, "from_block", ...values].join(", ")} FROM ${periods} WITH NO DATA`,
  );
  await client.query(
    `INSERT INTO ${touched} SELECT ${columns("t", key)}, ${columns("p", ["from_block", ...values])} FROM ${name} t LEFT JOIN LATERAL (
       SELECT * FROM ${periods} h WHERE h.chain_id = $1 AND ${same("h", "t")} AND h.from_block <= $2 ORDER BY h.from_block DESC LIMIT 1) p ON true
     WHERE t.chain_id = $1 AND t.since_block > $2`,
    [chainId, ancestor],
  );
  // Without statistics the planner would scan whole tables to join a few keys.
  await client.query(`ANALYZE ${touched}`);
  await client.query(`DELETE FROM ${name} t USING ${touched} k WHERE t.chain_id = $1 AND ${same("t", "k")}`, [chainId]);
  await client.query(
    `DELETE FROM ${periods} p USING ${touched} k WHERE p.chain_id = $1 AND ${same("p", "k")} AND p.from_block >= coalesce(k.from_block, $2 + 1)`,
    [chainId, ancestor],
  );
  await client.query(
    `INSERT INTO ${name} (chain_id, ${[...key, "since_block", ...values].join(", ")})
     SELECT $1, ${columns("k", [...key, "from_block", ...values])} FROM ${touched} k WHERE k.from_block > $2`,
    [chainId, baseBlock],
  );
};

/** Deletes a chain's rows of a projection, so that it can be rebuilt; its queues are kept. */
export const clearProjection = async (client: DatabaseClient, chainId: number, projection: Projection): Promise<void> => {
  for (const table of projection.tables) if (table.kind !== "queue") await deleteRows(client, chainId, table.name);
};
