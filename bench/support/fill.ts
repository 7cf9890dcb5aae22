import type { ChainBlock } from "../../runtime/chain/types.ts";
import type { Database } from "../../runtime/database/database.ts";
import type { DecodedBlock } from "../../runtime/events/decoded-block.ts";
import type { ChainFacts, Projection, Row, Table } from "../../runtime/indexer/projection.ts";
import { writeRows } from "../../runtime/indexer/storage/write-rows.ts";
import type { Address } from "../../runtime/lib/hex.ts";
import { createMemoryState, createRowInterner } from "./memory-state.ts";
import { projections as allProjections } from "./projections.ts";

export interface FillOptions {
  readonly chainId: number;
  readonly projections: readonly Projection[];
  readonly nativeAccounting: ChainFacts["nativeAccounting"];
  readonly blocksPerBatch: number;
  /** The wrapped native tokens; none by default. */
  readonly wrappedNative?: readonly Address[];
  /** The names of tables that remain empty. */
  readonly omittedTables?: ReadonlySet<string>;
}

type FoldedRows = readonly Readonly<Record<string, readonly Row[]>>[];

/** Balance of every account in the first block: a million native tokens. */
const genesisBalance = { ok: true, data: `0x${(10n ** 24n).toString(16).padStart(64, "0")}` } as const;

/** Folds generated blocks into empty tables with Ashlar's projections, so that the tables are consistent under any schema. Returns the last block. */
export async function fillTables(
  database: Database,
  blocks: Iterable<DecodedBlock>,
  options: FillOptions,
): Promise<ChainBlock | undefined> {
  const { chainId, projections, nativeAccounting, blocksPerBatch, wrappedNative = [], omittedTables = new Set() } = options;
  const facts: ChainFacts = { from: 0, baseBlock: 0, nativeAccounting, wrappedNative: new Set(wrappedNative) };
  const internRow = createRowInterner();
  const parts = projections.map((projection) => ({ projection, memory: createMemoryState(projection, internRow) }));
  const growing = projections.map(({ tables }) => growingTables(tables).filter(({ name }) => !omittedTables.has(name)));
  let last: ChainBlock | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  for (const decoded of portions(blocks, blocksPerBatch)) {
    const folded = parts.map(({ projection, memory }) => {
      const rows = projection.fold(decoded, { chain: facts, state: memory.state, baseOutcome: () => genesisBalance });
      memory.store(rows);
      return rows;
    });
    await writing;
    writing = writeGrowing(database, chainId, growing, folded);
    last = decoded.at(-1)?.block;
  }
  await writing;
  for (const { memory } of parts) for (const { table, rows } of memory.latestTables()) await copyRows(database, chainId, table, rows);
  return last;
}

function* portions<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let portion: T[] = [];
  for (const item of items) {
    portion.push(item);
    if (portion.length < size) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}

/** Returns the append-only tables. Tables with one row per key are written at the end, and queues stay empty. */
function growingTables(tables: readonly Table[]): readonly Table[] {
  const unsupported = tables.find(({ kind }) => !["append", "latest", "periods", "queue"].includes(kind));
  if (unsupported !== undefined)
    throw new Error(`bench/support/fill.ts cannot write table ${unsupported.name} of kind ${unsupported.kind}.`);
  return tables.filter(({ kind }) => kind === "append" || kind === "periods");
}

function writeGrowing(database: Database, chainId: number, growing: readonly (readonly Table[])[], folded: FoldedRows): Promise<void> {
  return database.transaction(async (client) => {
    for (const [position, tables] of growing.entries()) await writeRows(client, chainId, tables, folded[position] ?? {});
  });
}

/** Writes rows of one chain into a table. */
export function copyRows(
  database: Database,
  chainId: number,
  { name: table, columns }: Pick<Table, "name" | "columns">,
  rows: Iterable<Row>,
): Promise<number> {
  const names = Object.keys(columns);
  const tuples = function* () {
    for (const row of rows) yield [chainId, ...names.map((name) => row[name] ?? null)];
  };
  return database.transaction((client) => client.copy(table, ["chain_id", ...names], tuples(), ["int8", ...Object.values(columns)]));
}

/** Writes the chain's row and the checkpoints, as the indexing loop would. */
export async function writeChain(database: Database, chainId: number, { number, timestamp }: ChainBlock): Promise<void> {
  await database.query(
    `INSERT INTO chains (chain_id, name, genesis_hash, indexed_from, backfilled_at, latest_block, latest_timestamp, seen_at)
     VALUES ($1, 'bench', decode(repeat('00', 32), 'hex'), 0, now(), $2, $3, now())`,
    [chainId, number, timestamp],
  );
  await database.query(
    `INSERT INTO projection_checkpoints (chain_id, projection, version, block_number)
     SELECT $1, id, version, $2 FROM unnest($3::text[], $4::int[]) AS p(id, version)`,
    [chainId, number, allProjections.map(({ id }) => id), allProjections.map(({ version }) => version)],
  );
}

/** Writes the same metadata for each token and empties the queue of contract reads. */
export async function writeTokenMetadata(database: Database, chainId: number): Promise<void> {
  await database.query(
    `INSERT INTO token_metadata (chain_id, address, block_number, name, symbol, decimals, read_at_block)
     SELECT DISTINCT ON (address) chain_id, address, block_number, 'Bench Token', 'BENCH', 18, block_number
     FROM token_standards WHERE chain_id = $1 ORDER BY address, block_number`,
    [chainId],
  );
  await database.query("DELETE FROM node_reads WHERE chain_id = $1", [chainId]);
}
