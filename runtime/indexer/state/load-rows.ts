import { arrayLiteral } from "../../database/array-literal.ts";
import type { CopyValue } from "../../database/copy.ts";
import type { Queryable } from "../../database/database.ts";
import type { Row, StateLoad } from "../projection.ts";
import { type Key, keyText } from "./state.ts";

/** Keys in one statement; more would make its parameters and its plan large. */
const maxKeys = 10_000;

/** The stored rows of keys, by the text of the keys. */
export const loadRows = async (database: Queryable, chainId: number, load: StateLoad, keys: readonly Key[]): Promise<Map<string, Row>> => {
  const columns = Object.keys(load.key);
  const sql = probe(load, columns);
  const rows = new Map<string, Row>();
  for (let start = 0; start < keys.length; start += maxKeys) {
    const part = keys.slice(start, start + maxKeys);
    const arrays = columns.map((column, position) =>
      arrayLiteral(
        part.map((key) => key[position] ?? null),
        load.key[column],
      ),
    );
    const found = await database.query<Record<string, CopyValue>>(sql, [chainId, ...arrays]);
    for (const row of found) rows.set(keyText(columns.map((column) => String(row[column]))), row);
  }
  return rows;
};

/** Served by the primary key of each table, whose columns after the chain begin with the key of the load. */
const probe = ({ table, key, values, newestBy }: StateLoad, columns: readonly string[]): string => {
  const arrays = columns.map((column, position) => `$${position + 2}::${key[column]}[]`).join(", ");
  const match = columns.map((column) => `t.${column} = k.${column}`).join(" AND ");
  const picked = [...columns.map((column) => `k.${column}`), ...values.map((value) => `v.${value}`)].join(", ");
  const order = newestBy === undefined ? "" : ` ORDER BY t.${newestBy} DESC`;
  const wanted = values.length === 0 ? "1 AS found" : values.map((value) => `t.${value}`).join(", ");
  return `SELECT ${picked} FROM unnest(${arrays}) AS k(${columns.join(", ")}) CROSS JOIN LATERAL (
    SELECT ${wanted} FROM ${table} t WHERE t.chain_id = $1 AND ${match}${order} LIMIT 1) v`;
};
