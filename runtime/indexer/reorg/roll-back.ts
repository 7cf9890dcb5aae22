import type { DatabaseClient } from "../../database/database.ts";
import { columnList, identifier, joinSql, type Sql, sql } from "../../database/sql.ts";
import { type LatestTable, type StoredProjection, valueColumnsOf } from "../projection.ts";
import { attributeToProjection } from "../projection-error.ts";
import { deleteAbove, deleteRows } from "../storage/delete-rows.ts";

/** A table with block-bound rows that no projection writes. */
export interface BlockBoundTable {
  readonly name: string;
  readonly blockColumn: string;
  /** The projection whose rows they depend on; failures are attributed to it. */
  readonly projection?: Pick<StoredProjection, "id" | "isIsolated">;
  /** Runs after the projections' tables are rolled back, and before this table's rows above the ancestor are deleted. */
  readonly beforeDelete?: (client: DatabaseClient, chainId: number, ancestor: number) => Promise<void>;
}

/**
 * Deletes everything above a block from the index: append tables lose the rows above it, and in latest tables a row that was set above it is replaced with the
 * period that contains the block. A period that starts at or before `baseBlock` is a base value, which is deleted with the last row that required it.
 */
export const rollBack = async (
  client: DatabaseClient,
  chainId: number,
  ancestor: number,
  baseBlock: number,
  projections: readonly StoredProjection[],
  blockBoundTables: readonly BlockBoundTable[],
): Promise<void> => {
  for (const projection of projections) {
    try {
      await rollBackProjection(client, chainId, ancestor, baseBlock, projection);
    } catch (error) {
      throw attributeToProjection(projection, error);
    }
  }
  for (const table of blockBoundTables) {
    try {
      await table.beforeDelete?.(client, chainId, ancestor);
      await deleteAbove(client, chainId, table.name, table.blockColumn, ancestor);
    } catch (error) {
      throw table.projection === undefined ? error : attributeToProjection(table.projection, error);
    }
  }
  await client.query("UPDATE projection_checkpoints SET block_number = least(block_number, $2) WHERE chain_id = $1", [chainId, ancestor]);
};

const rollBackProjection = async (
  client: DatabaseClient,
  chainId: number,
  ancestor: number,
  baseBlock: number,
  { tables }: StoredProjection,
): Promise<void> => {
  for (const table of tables) {
    if (table.kind === "latest") await restoreLatestRows(client, chainId, ancestor, baseBlock, table);
    // Periods are rolled back with their latest table.
    else if (table.kind !== "periods") {
      const blockColumn = (table.kind === "append" ? table.blockColumn : undefined) ?? "block_number";
      await deleteAbove(client, chainId, table.name, blockColumn, ancestor);
    }
  }
};

/**
 * Restores the rows of a latest table as of the ancestor. A key's periods follow each other without a gap up to its current row. A key was therefore
 * touched above the ancestor if and only if its current row was set there (served by the latest table's index on since_block), and the period that contains
 * the ancestor is the last one that starts at or before it (served by the primary key).
 */
const restoreLatestRows = async (
  client: DatabaseClient,
  chainId: number,
  ancestor: number,
  baseBlock: number,
  table: LatestTable,
): Promise<void> => {
  if (table.periodTable === null) return;
  const statements = restoreStatements(table, table.periodTable);
  await client.query(statements.create.text);
  await client.query(statements.fill.text, [chainId, ancestor]);
  await client.query(statements.analyze.text);
  await client.query(statements.deleteLatest.text, [chainId]);
  await client.query(statements.deletePeriods.text, [chainId, ancestor]);
  await client.query(statements.restore.text, [chainId, baseBlock]);
  await client.query(statements.drop.text);
};

/** The statements that restore a latest table's rows, in execution order. */
const restoreStatements = (table: LatestTable, periodTable: string) => {
  const latest = identifier(table.name);
  const periods = identifier(periodTable);
  const touched = identifier(`touched_${table.name}`);
  const { key } = table;
  const values = valueColumnsOf(table);
  const isSameKey = (left: string, right: string): Sql =>
    joinSql(
      key.map((column) => sql`${identifier(`${left}.${column}`)} = ${identifier(`${right}.${column}`)}`),
      sql` AND `,
    );
  return {
    // CREATE TABLE AS accepts no parameters here: the table is created empty, then filled.
    create: sql`CREATE TEMP TABLE ${touched} ON COMMIT DROP AS SELECT ${columnList([...key, "from_block", ...values])} FROM ${periods} WITH NO DATA`,
    fill: sql`INSERT INTO ${touched} SELECT ${columnList(key, "t")}, ${columnList(["from_block", ...values], "p")} FROM ${latest} t LEFT JOIN LATERAL (
       SELECT * FROM ${periods} h WHERE h.chain_id = $1 AND ${isSameKey("h", "t")} AND h.from_block <= $2 ORDER BY h.from_block DESC LIMIT 1) p ON true
     WHERE t.chain_id = $1 AND t.since_block > $2`,
    // Without statistics the planner would scan entire tables to join a few keys.
    analyze: sql`ANALYZE ${touched}`,
    deleteLatest: sql`DELETE FROM ${latest} t USING ${touched} k WHERE t.chain_id = $1 AND ${isSameKey("t", "k")}`,
    deletePeriods: sql`DELETE FROM ${periods} p USING ${touched} k
     WHERE p.chain_id = $1 AND ${isSameKey("p", "k")} AND p.from_block >= coalesce(k.from_block, $2 + 1)`,
    restore: sql`INSERT INTO ${latest} (chain_id, ${columnList([...key, "since_block", ...values])})
     SELECT $1, ${columnList([...key, "from_block", ...values], "k")} FROM ${touched} k WHERE k.from_block > $2`,
    // Dropped explicitly, because PostgreSQL truncates long names: the names for two tables may be equal.
    drop: sql`DROP TABLE ${touched}`,
  };
};

/** Deletes a projection's rows for a chain, so that it can be rebuilt; its queues remain. */
export const clearProjection = async (client: DatabaseClient, chainId: number, projection: StoredProjection): Promise<void> => {
  try {
    for (const table of projection.tables) if (table.kind !== "queue") await deleteRows(client, chainId, table.name);
  } catch (error) {
    throw attributeToProjection(projection, error);
  }
};
