import { copyStatement } from "../../database/copy.ts";
import { type CopyChunks, createCopyEncoder } from "../../database/copy-encoder.ts";
import type { DatabaseClient } from "../../database/database.ts";
import type { PipelinedStatement } from "../../database/pipeline.ts";
import type { Row, StoredProjection, Table } from "../projection.ts";
import { attributeToProjection } from "../projection-error.ts";
import { statementsOf } from "./write-rows.ts";

/** One table's buffered rows: as COPY text, or as rows if only one row per key is written. */
export type BufferedRows = TableRows & {
  /** The rows' projection; undefined for node responses. */
  readonly projection?: StoredProjection;
};

type TableRows = { readonly table: Table; readonly chunks: CopyChunks } | { readonly table: Table; readonly rows: readonly Row[] };

/** Creates a buffer for every table of every projection. */
export const createRowBuffers = (chainId: number, projections: readonly StoredProjection[]) => {
  const buffers = projections.map((projection) => projection.tables.map((table) => createBuffer(chainId, table)));
  return {
    /** Adds the rows of the projection at an index, by table name. */
    add: (index: number, folded: Readonly<Record<string, readonly Row[]>>): void => {
      for (const { table, add } of buffers[index] ?? []) {
        const rows = folded[table.name];
        if (rows !== undefined && rows.length > 0) add(rows);
      }
    },
    /** The total size of the COPY text. */
    bytes: (): number => buffers.flat().reduce((sum, { bytes }) => sum + bytes(), 0),
    /** Returns the buffered rows; must be called only once, at the end. */
    take: (): BufferedRows[] =>
      projections.flatMap((projection, position) => (buffers[position] ?? []).map(({ take }) => ({ ...take(), projection }))),
  };
};

/** Writes buffered rows, and returns their number. */
export const writeBuffers = async (client: DatabaseClient, chainId: number, buffers: readonly BufferedRows[]): Promise<number> => {
  await client.pipeline(buffers.flatMap((buffer) => bufferStatements(chainId, buffer)));
  return buffers.reduce((sum, buffer) => sum + ("rows" in buffer ? buffer.rows.length : buffer.chunks.rowCount), 0);
};

const bufferStatements = (chainId: number, buffer: BufferedRows): PipelinedStatement[] => {
  const { projection } = buffer;
  if (projection === undefined) return tableStatements(chainId, buffer);
  const toError = (error: unknown): unknown => attributeToProjection(projection, error);
  try {
    return tableStatements(chainId, buffer).map((statement) => ({ ...statement, toError }));
  } catch (error) {
    throw toError(error);
  }
};

const tableStatements = (chainId: number, buffer: TableRows): PipelinedStatement[] => {
  if ("rows" in buffer) return statementsOf(chainId, buffer.table, buffer.rows);
  return buffer.chunks.rowCount === 0 ? [] : [copyStatement(buffer.table.name, buffer.chunks)];
};

const createBuffer = (chainId: number, table: Table) => {
  if (table.kind === "append" || table.kind === "periods") {
    const encoder = createCopyEncoder(table.name, ["chain_id", "int8", chainId], table.columns);
    return { table, add: encoder.add, bytes: encoder.bytes, take: (): TableRows => ({ table, chunks: encoder.take() }) };
  }
  const { key, kind } = table;
  const rows = new Map<string, Row>();
  const add = (added: readonly Row[]): void => {
    for (const row of added) {
      let text = "";
      for (const column of key) text += `${row[column]}|`;
      // A queue keeps each key's first row.
      if (kind === "latest" || !rows.has(text)) rows.set(text, row);
    }
  };
  return { table, add, bytes: () => 0, take: (): TableRows => ({ table, rows: [...rows.values()] }) };
};
