import type { DatabaseClient } from "../../database/database.ts";
import { type LatestTable, type Projection, valuesOf } from "../projection.ts";
import { deleteChain, dropAbove } from "../storage/delete-rows.ts";

/** A table that no projection writes, and that speaks of blocks all the same. */
export interface FollowingTable {
  readonly name: string;
  readonly blockColumn: string;
  /** What has to be done before the rows above the ancestor go, as long as it can be seen what goes. Projections' tables are taken back by then. */
  readonly beforeDrop?: (client: DatabaseClient, chainId: number, ancestor: number) => Promise<void>;
}

/**
 * Takes everything above a block out of the index: append tables lose the rows above it; of tables of latest values, a row that was set above it gives
 * way to the period that the block is in. A period that began by `baseBlock` is what the node said of the state before the index: it goes with the
 * last row that needed it.
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
      if (table.kind === "latest") await takeBack(client, chainId, ancestor, baseBlock, table);
      // Periods are taken back with the table whose past they are.
      else if (table.kind !== "periods") {
        await dropAbove(client, chainId, table.name, (table.kind === "append" ? table.blockColumn : undefined) ?? "block_number", ancestor);
      }
    }
  }
  for (const table of following) {
    await table.beforeDrop?.(client, chainId, ancestor);
    await dropAbove(client, chainId, table.name, table.blockColumn, ancestor);
  }
  await client.query("UPDATE projection_checkpoints SET block_number = least(block_number, $2) WHERE chain_id = $1", [chainId, ancestor]);
};

/**
 * The periods of a key follow each other without a gap up to the row that holds now. So a key that was touched above the ancestor is one whose row was set
 * there (served by the latest table's index on since_block), and the period that the ancestor is in is the last to begin by then (by the primary key).
 */
const takeBack = async (
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
  // Parameters have no place in a statement that creates: the table is made first, then filled.
  await client.query(
    `CREATE TEMP TABLE ${touched} ON COMMIT DROP AS SELECT ${[...key, "from_block", ...values].join(", ")} FROM ${periods} WITH NO DATA`,
  );
  await client.query(
    `INSERT INTO ${touched} SELECT ${columns("t", key)}, ${columns("p", ["from_block", ...values])} FROM ${name} t LEFT JOIN LATERAL (
       SELECT * FROM ${periods} h WHERE h.chain_id = $1 AND ${same("h", "t")} AND h.from_block <= $2 ORDER BY h.from_block DESC LIMIT 1) p ON true
     WHERE t.chain_id = $1 AND t.since_block > $2`,
    [chainId, ancestor],
  );
  // Without statistics a handful of keys would be joined by reading whole tables.
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

/** Empties a projection for one chain, so that it can be built again; work that waits for others stays. */
export const clearProjection = async (client: DatabaseClient, chainId: number, projection: Projection): Promise<void> => {
  for (const table of projection.tables) if (table.kind !== "queue") await deleteChain(client, chainId, table.name);
};
