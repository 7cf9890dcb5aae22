import type { Projection, Row } from "../../runtime/indexer/projection.ts";
import { type Key, keyText, type State } from "../../runtime/indexer/state/state.ts";

/** Creates a function that copies columns of a row and interns hex values, because a substring would keep its entire log in memory. */
export const createRowInterner = (): ((row: Row, columns: readonly string[]) => Row) => {
  const texts = new Map<string, string>();
  const intern = (text: string): string => {
    const interned = texts.get(text);
    if (interned !== undefined) return interned;
    const copy = Buffer.from(text, "latin1").toString("latin1");
    texts.set(copy, copy);
    return copy;
  };
  return (row, columns) =>
    Object.fromEntries(
      columns.map((column) => {
        const value = row[column] ?? null;
        return [column, typeof value === "string" && value.startsWith("0x") ? intern(value) : value];
      }),
    );
};

/** Holds in memory the rows that a projection loads from its tables, and the rows of tables with one row per key. */
export const createMemoryState = (projection: Projection, internRow: ReturnType<typeof createRowInterner>) => {
  const written = new Map(projection.tables.map((table) => [table.name, table]));
  const stores = new Map<
    string,
    { readonly table: string; readonly key: readonly string[]; readonly columns: readonly string[]; rows: Map<string, Row> }
  >();
  const byLoad = new Map<string, ReadonlyMap<string, Row>>();
  const storeOf = (table: string, key: readonly string[], columns: readonly string[]): Map<string, Row> => {
    const id = `${table} ${key.join(" ")}`;
    const store = stores.get(id) ?? { table, key, columns, rows: new Map<string, Row>() };
    stores.set(id, store);
    return store.rows;
  };
  const latestTables = projection.tables.flatMap((table) =>
    table.kind === "latest" ? [{ table, rows: storeOf(table.name, table.key, Object.keys(table.columns)) }] : [],
  );
  for (const [name, load] of Object.entries(projection.loads)) {
    // Tables of other projections and of jobs, such as metadata, are still empty.
    if (written.has(load.table)) byLoad.set(name, storeOf(load.table, Object.keys(load.key), load.valueColumns));
  }
  return {
    state: { get: (name, ...key) => byLoad.get(name)?.get(keyText(key)) } satisfies State,
    /** Stores the rows of a fold. */
    store: (folded: Readonly<Record<string, readonly Row[]>>): void => {
      for (const { table, key, columns, rows } of stores.values()) {
        for (const row of folded[table] ?? []) rows.set(keyText(key.map((column) => String(row[column])) as Key), internRow(row, columns));
      }
    },
    latestTables: () => latestTables.map(({ table, rows }) => ({ table, rows: rows.values() })),
  };
};
