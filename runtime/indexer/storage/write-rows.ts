import { arrayLiteral } from "../../database/array-literal.ts";
import type { CopyValue } from "../../database/copy.ts";
import type { DatabaseClient } from "../../database/database.ts";
import { upsert } from "../../database/upsert.ts";
import type { LatestTable, QueueTable, Row, Table } from "../projection.ts";

/** Up to this number of rows, one INSERT of arrays is faster than COPY into a temporary table. */
const fewRows = 500;

/** Writes the rows of tables by their names, and returns their number. */
export const writeRows = async (
  client: DatabaseClient,
  chainId: number,
  tables: readonly Table[],
  rows: Readonly<Record<string, readonly Row[]>>,
): Promise<number> => {
  let count = 0;
  for (const table of tables) {
    const own = rows[table.name];
    if (own === undefined || own.length === 0) continue;
    await writeTable(client, chainId, table, own);
    count += own.length;
  }
  return count;
};

const writeTable = async (client: DatabaseClient, chainId: number, table: Table, rows: readonly Row[]): Promise<void> => {
  const names = Object.keys(table.columns);
  const columns = ["chain_id", ...names];
  const types = ["int8" as const, ...Object.values(table.columns)];
  if (table.kind === "append" || table.kind === "periods") await client.copy(table.name, columns, tuples(chainId, names, rows), types);
  else if (rows.length <= fewRows || table.kind === "queue") await insertArrays(client, chainId, table, rows);
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
  const names = Object.keys(table.columns);
  const arrays = names.map((name) =>
    arrayLiteral(
      rows.map((row) => row[name] ?? null),
      table.columns[name],
    ),
  );
  const parameters = names.map((name, position) => `$${position + 2}::${table.columns[name]}[]`);
  const changed = names.filter((name) => !table.key.includes(name)).map((name) => `${name} = excluded.${name}`);
  await client.query(
    `INSERT INTO ${table.name} (chain_id, ${names.join(", ")}) SELECT $1, * FROM unnest(${parameters.join(", ")})
     ON CONFLICT (chain_id, ${table.key.join(", ")}) DO ${table.kind === "queue" ? "NOTHING" : `UPDATE SET ${changed.join(", ")}`}`,
    [chainId, ...arrays],
  );
};
