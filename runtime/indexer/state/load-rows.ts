import { arrayLiteral } from "../../database/array-literal.ts";
import type { CopyValue } from "../../database/copy.ts";
import type { Queryable } from "../../database/database.ts";
import { columnList, identifier, joinSql, nothing, type Sql, sql } from "../../database/sql.ts";
import type { Row, StateLoad } from "../projection.ts";
import { type Key, keyText } from "./state.ts";

/** Max keys per statement, which bounds its parameters and its plan. */
const maxKeys = 10_000;

/** Loads the stored rows of keys, by key text. */
export const loadRows = async (database: Queryable, chainId: number, load: StateLoad, keys: readonly Key[]): Promise<Map<string, Row>> => {
  const columns = Object.keys(load.key);
  const statement = statementOf(load);
  const rows = new Map<string, Row>();
  for (let start = 0; start < keys.length; start += maxKeys) {
    const part = keys.slice(start, start + maxKeys);
    const arrays = columns.map((column, position) =>
      arrayLiteral(
        part.map((key) => key[position] ?? null),
        load.key[column],
      ),
    );
    const found = await database.query<Record<string, CopyValue>>(statement, [chainId, ...arrays]);
    for (const row of found) rows.set(keyText(columns.map((column) => String(row[column]))), row);
  }
  return rows;
};

/** The statements, composed once per load. */
const statements = new WeakMap<StateLoad, string>();

const statementOf = (load: StateLoad): string => {
  const existing = statements.get(load);
  if (existing !== undefined) return existing;
  const { text } = selectRows(load);
  statements.set(load, text);
  return text;
};

/** Served by each table's primary key, whose columns after the chain start with the load's key. */
const selectRows = ({ table, key, valueColumns, newestBy }: StateLoad): Sql => {
  const columns = Object.keys(key);
  const arrays = joinSql(Object.values(key).map((type, position) => sql`$${position + 2}::${identifier(type)}[]`));
  const match = joinSql(
    columns.map((column) => sql`t.${identifier(column)} = k.${identifier(column)}`),
    sql` AND `,
  );
  const loaded = valueColumns.length === 0 ? nothing : sql`, ${columnList(valueColumns, "v")}`;
  const selected = valueColumns.length === 0 ? sql`1 AS found` : columnList(valueColumns, "t");
  const order = newestBy === undefined ? nothing : sql` ORDER BY t.${identifier(newestBy)} DESC`;
  return sql`SELECT ${columnList(columns, "k")}${loaded} FROM unnest(${arrays}) AS k(${columnList(columns)}) CROSS JOIN LATERAL (
    SELECT ${selected} FROM ${identifier(table)} t WHERE t.chain_id = $1 AND ${match}${order} LIMIT 1) v`;
};
