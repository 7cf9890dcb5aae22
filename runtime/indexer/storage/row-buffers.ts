import { type CopyChunks, createCopyGatherer } from "../../database/copy-gatherer.ts";
import type { DatabaseClient } from "../../database/database.ts";
import type { Projection, Row, Table } from "../projection.ts";
import { keyText } from "../state/state.ts";
import { writeRows } from "./write-rows.ts";

/** Buffered rows of one table: as COPY text, or as rows where a later row of a key replaces an earlier one. */
export type BufferedRows =
  | { readonly table: Table; readonly chunks: CopyChunks }
  | { readonly table: Table; readonly rows: readonly Row[] };

/** A buffer for each table of each projection. */
export const createRowBuffers = (chainId: number, projections: readonly Projection[]) => {
  const buffers = projections.map((projection) => projection.tables.map((table) => createBuffer(chainId, table)));
  return {
    /** Adds the rows of the projection at a position, by the name of their table. */
    add: (position: number, folded: Readonly<Record<string, readonly Row[]>>): void => {
      for (const { table, add } of buffers[position] ?? []) {
        const rows = folded[table.name];
        if (rows !== undefined && rows.length > 0) add(rows);
      }
    },
    /** Size of all COPY text. */
    bytes: (): number => buffers.flat().reduce((sum, { bytes }) => sum + bytes(), 0),
    /** Empties the buffers. */
    take: (): BufferedRows[] => buffers.flat().map(({ take }) => take()),
  };
};

/** Writes buffered rows, and returns their number. */
export const writeBuffers = async (client: DatabaseClient, chainId: number, buffers: readonly BufferedRows[]): Promise<number> => {
  let count = 0;
  for (const buffer of buffers) {
    if ("rows" in buffer) count += await writeRows(client, chainId, [buffer.table], { [buffer.table.name]: buffer.rows });
    else count += await client.copyChunks(buffer.table.name, buffer.chunks.columns, buffer.chunks.chunks);
  }
  return count;
};

const createBuffer = (chainId: number, table: Table) => {
  if (table.kind === "append" || table.kind === "periods") {
    const gatherer = createCopyGatherer(table.name, ["chain_id", "int8", chainId], table.columns);
    return { table, add: gatherer.add, bytes: gatherer.bytes, take: (): BufferedRows => ({ table, chunks: gatherer.take() }) };
  }
  const { key, kind } = table;
  const rows = new Map<string, Row>();
  const add = (added: readonly Row[]): void => {
    for (const row of added) {
      const text = keyText(key.map((column) => String(row[column])));
      // The first row of a queue's key is kept.
      if (kind === "latest" || !rows.has(text)) rows.set(text, row);
    }
  };
  return { table, add, bytes: () => 0, take: (): BufferedRows => ({ table, rows: [...rows.values()] }) };
};
