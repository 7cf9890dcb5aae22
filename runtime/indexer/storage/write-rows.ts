import { arrayLiteral } from "../../database/array-literal.ts";
import { copyStatement } from "../../database/copy.ts";
import { createCopyEncoder } from "../../database/copy-encoder.ts";
import { isArrayType } from "../../database/copy-text.ts";
import type { DatabaseClient } from "../../database/database.ts";
import type { PipelinedStatement } from "../../database/pipeline.ts";
import { columnList, identifier, joinSql, type Sql, sql } from "../../database/sql.ts";
import { upsertStatements } from "../../database/upsert.ts";
import type { LatestTable, QueueTable, Row, Table } from "../projection.ts";

/** Up to this number of rows, one INSERT of arrays is faster than COPY into a temporary table. Array columns require COPY. */
const maxInsertRows = 500;

/** Writes rows keyed by table name, and returns their number. */
export const writeRows = async (
  client: DatabaseClient,
  chainId: number,
  tables: readonly Table[],
  rows: Readonly<Record<string, readonly Row[]>>,
): Promise<number> => {
  await client.pipeline(tables.flatMap((table) => statementsOf(chainId, table, rows[table.name] ?? [])));
  return tables.reduce((sum, { name }) => sum + (rows[name]?.length ?? 0), 0);
};

/** The statements that write rows into a table. */
export const statementsOf = (chainId: number, table: Table, rows: readonly Row[]): PipelinedStatement[] => {
  if (rows.length === 0) return [];
  const { kind, name, columns } = table;
  if (kind === "append" || kind === "periods") return [copyStatement(name, encode(chainId, table, rows))];
  if (kind === "queue" || (rows.length <= maxInsertRows && !Object.values(columns).some(isArrayType)))
    return [insertOf(chainId, table, rows)];
  const encoded = encode(chainId, table, rows);
  const { create, staging, merge, drop } = upsertStatements({ table: name, key: ["chain_id", ...table.key], columns: encoded.columns });
  return [{ text: create }, copyStatement(staging, encoded), { text: merge }, { text: drop }];
};

const encode = (chainId: number, { name, columns }: Table, rows: readonly Row[]) => {
  const encoder = createCopyEncoder(name, ["chain_id", "int8", chainId], columns);
  encoder.add(rows);
  return encoder.take();
};

/** The statement that writes rows with distinct keys to a queue or a latest table. */
const insertOf = (chainId: number, table: LatestTable | QueueTable, rows: readonly Row[]) => {
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
  return { text: statement, values: [String(chainId), ...arrays] };
};

/**
 * The statements, composed once per table. They are sent unnamed, because a prepared statement may be lost behind a pooler, and the batch's transaction
 * would fail.
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
