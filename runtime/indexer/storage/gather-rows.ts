import { type CopyChunks, createCopyGatherer } from "../../database/copy-gatherer.ts";
import type { DatabaseClient } from "../../database/database.ts";
import type { Projection, Row, Table } from "../projection.ts";
import { keyText } from "../state/state.ts";
import { writeRows } from "./write-rows.ts";

/** Rows of one table that wait to be written: as text, or, where a later row of a key takes the place of an earlier one, as rows. */
export type WaitingRows = { readonly table: Table; readonly chunks: CopyChunks } | { readonly table: Table; readonly rows: readonly Row[] };

/** Gathers what folds give for each table until it is written. */
export const createRowGatherer = (chainId: number, projections: readonly Projection[]) => {
  const tables = projections.map((projection) => projection.tables.map((table) => createTable(chainId, table)));
  return {
    /** The rows of the projection at a position, by the name of their table. */
    add: (position: number, folded: Readonly<Record<string, readonly Row[]>>): void => {
      for (const { table, add } of tables[position] ?? []) {
        const rows = folded[table.name];
        if (rows !== undefined && rows.length > 0) add(rows);
      }
    },
    /** Of all text so far. */
    bytes: (): number => tables.flat().reduce((sum, { bytes }) => sum + bytes(), 0),
    take: (): WaitingRows[] => tables.flat().map(({ take }) => take()),
  };
};

/** Writes what was gathered, and says how many rows there were. */
export const writeWaiting = async (client: DatabaseClient, chainId: number, waiting: readonly WaitingRows[]): Promise<number> => {
  let count = 0;
  for (const each of waiting) {
    if ("rows" in each) count += await writeRows(client, chainId, [each.table], { [each.table.name]: each.rows });
    else count += await client.copyChunks(each.table.name, each.chunks.columns, each.chunks.chunks);
  }
  return count;
};

const createTable = (chainId: number, table: Table) => {
  if (table.kind === "append" || table.kind === "periods") {
    const gatherer = createCopyGatherer(table.name, ["chain_id", "int8", chainId], table.columns);
    return { table, add: gatherer.add, bytes: gatherer.bytes, take: (): WaitingRows => ({ table, chunks: gatherer.take() }) };
  }
  const { key, kind } = table;
  const rows = new Map<string, Row>();
  const add = (added: readonly Row[]): void => {
    for (const row of added) {
      const text = keyText(key.map((column) => String(row[column])));
      // What waits in a queue stays as it is.
      if (kind === "latest" || !rows.has(text)) rows.set(text, row);
    }
  };
  return { table, add, bytes: () => 0, take: (): WaitingRows => ({ table, rows: [...rows.values()] }) };
};
