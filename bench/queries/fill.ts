import type { ChainBlock } from "../../runtime/chain/types.ts";
import type { Database } from "../../runtime/database/database.ts";
import { createEventDecoder } from "../../runtime/events/decode-events.ts";
import type { ChainFacts, Row, Table } from "../../runtime/indexer/projection.ts";
import { writeRows } from "../../runtime/indexer/write.ts";
import { projections } from "../support/projections.ts";
import { createInterned, createMemoryState } from "./memory-state.ts";
import { type StorySize, tellBlocks } from "./story.ts";

export interface FillOptions extends StorySize {
  readonly chainId: number;
}

type Folded = readonly Readonly<Record<string, readonly Row[]>>[];

const facts: ChainFacts = { from: 0, baseBlock: 0, nativeAccounting: "traces", wrappedNative: new Set() };
const blocksAtOnce = 400;
/** What every account had in the first block: a million of the native token. */
const genesisBalance = { ok: true, data: `0x${(10n ** 24n).toString(16).padStart(64, "0")}` } as const;

/** Takes a generated chain through the product's own folds into empty tables: so they are consistent, whatever the schema. */
export async function fillTables(database: Database, options: FillOptions): Promise<void> {
  const decode = createEventDecoder(projections.flatMap(({ events }) => events));
  const interned = createInterned();
  const parts = projections.map((projection) => ({ projection, memory: createMemoryState(projection, interned) }));
  let last: ChainBlock | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  for (const blocks of portions(tellBlocks(options), blocksAtOnce)) {
    const decoded = blocks.map(decode);
    const folded = parts.map(({ projection, memory }) => {
      const rows = projection.fold(decoded, { chain: facts, state: memory.state, base: () => genesisBalance });
      memory.keep(rows);
      return rows;
    });
    await writing;
    writing = writeGrowing(database, options.chainId, folded);
    last = blocks.at(-1);
  }
  await writing;
  for (const { memory } of parts) for (const { table, rows } of memory.finals()) await copyAll(database, options.chainId, table, rows);
  if (last !== undefined) await describe(database, options.chainId, last);
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

/** Tables to which rows are only added; those of one row a key are written at the end, and nobody waits for the queues' reads. */
function writeGrowing(database: Database, chainId: number, folded: Folded): Promise<void> {
  return database.transaction(async (client) => {
    for (const [position, { tables }] of projections.entries()) {
      const unknown = tables.find(({ kind }) => !["append", "latest", "periods", "queue"].includes(kind));
      if (unknown !== undefined)
        throw new Error(`bench/queries/fill.ts does not know how to write ${unknown.name}, which is ${unknown.kind}.`);
      const growing = tables.filter(({ kind }) => kind === "append" || kind === "periods");
      await writeRows(client, chainId, growing, folded[position] ?? {});
    }
  });
}

function copyAll(database: Database, chainId: number, table: Table, rows: Iterable<Row>): Promise<number> {
  const names = Object.keys(table.columns);
  const tuples = function* () {
    for (const row of rows) yield [chainId, ...names.map((name) => row[name] ?? null)];
  };
  return database.transaction((client) =>
    client.copy(table.name, ["chain_id", ...names], tuples(), ["int8", ...Object.values(table.columns)]),
  );
}

/** What the loop would have written beside the projections' rows, and metadata of each token. */
async function describe(database: Database, chainId: number, { number, timestamp }: ChainBlock): Promise<void> {
  await database.query(
    `INSERT INTO chains (chain_id, name, genesis_hash, indexed_from, backfilled_at, latest_block, latest_timestamp, seen_at)
     VALUES ($1, 'bench', '\\x00', 0, now(), $2, $3, now())`,
    [chainId, number, timestamp],
  );
  await database.query(
    `INSERT INTO projection_checkpoints (chain_id, projection, version, block_number)
     SELECT $1, id, version, $2 FROM unnest($3::text[], $4::int[]) AS p(id, version)`,
    [chainId, number, projections.map(({ id }) => id), projections.map(({ version }) => version)],
  );
  await database.query(
    `INSERT INTO token_metadata (chain_id, address, block_number, name, symbol, decimals, read_at_block)
     SELECT chain_id, address, block_number, 'Bench Token', 'BENCH', 18, block_number FROM token_standards WHERE chain_id = $1`,
    [chainId],
  );
}
