import { arrayLiteral } from "../../database/array-literal.ts";
import type { CopyValue } from "../../database/copy.ts";
import { isArrayType } from "../../database/copy-text.ts";
import type { DatabaseClient } from "../../database/database.ts";
import { columnList, identifier, joinSql, type Sql, sql } from "../../database/sql.ts";
import { upsert } from "../../database/upsert.ts";
import type { LatestTable, QueueTable, Row, Table } from "../projection.ts";

/** Up to this number of rows, one INSERT of arrays is faster than COPY into a temporary table. Columns that are arrays themselves require COPY. */
const maxInsertRows = 500;

/** Writes rows keyed by table name, and returns their number. */
export const writeRows = async (
  client: DatabaseClient,
  chainId: number,
  tables: readonly Table[],
  rows: Readonly<Record<string, readonly Row[]>>,
): Promise<number> => {
  let count = 0;
  for (const table of tables) {
    const rowsOfTable = rows[table.name];
    if (rowsOfTable === undefined || rowsOfTable.length === 0) continue;
    await writeTable(client, chainId, table, rowsOfTable);
    count += rowsOfTable.length;
  }
  return count;
};

const writeTable = async (client: DatabaseClient, chainId: number, table: Table, rows: readonly Row[]): Promise<void> => {
  const names = Object.keys(table.columns);
  const columns = ["chain_id", ...names];
  const types = ["int8" as const, ...Object.values(table.columns)];
  if (table.kind === "append" || table.kind === "periods") await client.copy(table.name, columns, tuples(chainId, names, rows), types);
  else if (table.kind === "queue" || (rows.length <= maxInsertRows && !types.some(isArrayType)))
    await insertArrays(client, chainId, table, rows);
  else await upsert(client, { table: table.name, key: ["chain_id", ...table.key], columns, types }, tuples(chainId, names, rows));
};

function* tuples(chainId: number, names: readonly string[], rows: readonly Row[]): Generator<CopyValue[]> {
  for (const row of rows) {
    const tuple: CopyValue[] = [chainId];
    for (const name of names) tuple.push(row[name] ?? null);
    yield tuple;
  }
}

const insertArrays = async (client: DatabaseClient, chainId: number, table: LatestTable | QueueTable, rows: readonly Row[]) => {
  const arrays = Object.entries(table.columns).map(([name, type]) =>
    arrayLiteral(
      rows.map((row) => row[name] ?? null),
      type,
    ),
  );
  let statement = statements.get(table);
  if (statement === undefined) {
    statement = insertStatement(table).text;
    statements.set(table, statement);
  }
  await client.query(statement, [chainId, ...arrays]);
};

/**
 * The statements, composed once per table. They are sent unnamed, because behind a pooler a prepared statement may be lost, which fails the batch's transaction.
 */
const statements = new WeakMap<Table, string>();

const insertStatement = ({ name, kind, key, columns }: LatestTable | QueueTable): Sql => {
  const names = Object.keys(columns);
  const parameters = joinSql(Object.values(columns).map((type, position) => sql`$${position + 2}::${identifier(type)}[]`));
  const changed = names
    .filter((column) => !key.includes(column))
    .map((column) => sql`${identifier(column)} = excluded.${identifier(column)}`);
  return sql`INSERT INTO ${identifier(name)} (chain_id, ${columnList(names)}) SELECT $1, * FROM unnest(${parameters})
     ON CONFLICT (chain_id, ${columnList(key)}) DO ${kind === "queue" ? sql`NOTHING` : sql`UPDATE SET ${joinSql(changed)}`}`;
};
