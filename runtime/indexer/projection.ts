import type { CallOutcome } from "../chain/source.ts";
import type { NativeAccounting } from "../chain/types.ts";
import type { CopyType } from "../database/copy.ts";
import type { DecodedBlock, EventDefinition } from "../events/decoded-block.ts";
import type { Address, Hash, Hex } from "../lib/hex.ts";
import type { KeySet, Row, State } from "./state/state.ts";

export type { Row } from "./state/state.ts";

interface TableBase {
  readonly name: string;
  readonly columns: Readonly<Record<string, CopyType>>;
}

/** Rows that never change; rolling back deletes those above the ancestor. */
export interface AppendTable extends TableBase {
  readonly kind: "append";
  /** `block_number` by default. */
  readonly blockColumn?: string;
}

/**
 * Current values, one row per key. With a `periodTable`, `since_block` is the block that set the row, and the value that it replaced is stored as a
 * period. `periodTable` is null if past values are not kept and a rollback does not change the row.
 */
export interface LatestTable extends TableBase {
  readonly kind: "latest";
  readonly key: readonly string[];
  readonly periodTable: string | null;
}

/**
 * A latest table's past values: when a value ends, a row is written with the blocks `from_block` to `to_block` during which it held; it never
 * changes.
 */
export interface PeriodTable extends TableBase {
  readonly kind: "periods";
}

/** Queued work, one row per key: an existing row is never replaced, even if the projection is rebuilt. */
export interface QueueTable extends TableBase {
  readonly kind: "queue";
  readonly key: readonly string[];
}

export type Table = AppendTable | LatestTable | PeriodTable | QueueTable;

/** A query for the stored rows that a fold starts from: one per key; if a key has several, the newest by `newestBy`. */
export interface StateLoad {
  readonly table: string;
  readonly key: Readonly<Record<string, CopyType>>;
  readonly valueColumns: readonly string[];
  readonly newestBy?: string;
}

/** A read of the state before the first indexed block, sent to the node when block `firstBlock` first requires the value. */
export type BaseRead = { readonly firstBlock: number } & ({ readonly address: Address } | { readonly to: Address; readonly data: Hex });

/** Chain parameters that a fold depends on. */
export interface ChainFacts {
  /** The first indexed block. */
  readonly from: number;
  /** The base block: the block before the first indexed one, or the genesis block. */
  readonly baseBlock: number;
  readonly nativeAccounting: NativeAccounting;
  readonly wrappedNative: ReadonlySet<Address>;
}

/** A fold's input besides the blocks. */
export interface FoldInput {
  readonly chain: ChainFacts;
  readonly state: State;
  /** The outcome of a base read that the projection declared. */
  readonly baseOutcome: (read: BaseRead) => CallOutcome;
}

/** The projection properties that storage and rollback need. */
export type StoredProjection = Pick<Projection, "id" | "isIsolated" | "tables">;

/** Defines tables that are a function of the blocks. All methods are pure. */
export interface Projection {
  readonly id: string;
  /** Incremented when the rows' meaning changes, so that they are rebuilt from the stored ledger. */
  readonly version: number;
  /** Whether a permanent failure switches the projection off instead of stopping the index. */
  readonly isIsolated?: boolean;
  /**
   * The first topics of the logs that the projection depends on, if it needs only these logs and the block numbers. While it catches up, only these
   * logs and their transactions are read.
   */
  readonly topics?: readonly Hash[];
  readonly events: readonly EventDefinition[];
  readonly tables: readonly Table[];
  readonly loads: Readonly<Record<string, StateLoad>>;
  /** The keys of each load that these blocks touch. */
  readonly keysToLoad: (blocks: readonly DecodedBlock[], chain: ChainFacts) => Readonly<Record<string, KeySet>>;
  /** The base reads that folding these blocks requires. */
  readonly requiredBaseReads?: (blocks: readonly DecodedBlock[], state: State, chain: ChainFacts) => readonly BaseRead[];
  /** Folds decoded blocks, in order, into rows by table name. */
  readonly fold: (blocks: readonly DecodedBlock[], input: FoldInput) => Readonly<Record<string, readonly Row[]>>;
}

/** A latest table's columns except its key and `since_block`. */
export const valueColumnsOf = (table: LatestTable): string[] =>
  Object.keys(table.columns).filter((column) => column !== "since_block" && !table.key.includes(column));

/** Checks that the rows of every latest table with periods can be restored. @throws {TypeError} */
export const defineProjection = (projection: Projection): Projection => {
  for (const table of projection.tables) {
    if (table.kind !== "latest" || table.periodTable === null) continue;
    const periods = projection.tables.find(({ name }) => name === table.periodTable);
    const required = [...table.key, "from_block", "to_block", ...valueColumnsOf(table)];
    const missing = required.filter((column) => periods?.columns[column] === undefined);
    if (periods?.kind !== "periods") throw new TypeError(`Table ${table.name} has no periods table.`);
    if (missing.length > 0) throw new TypeError(`The periods table of ${table.name} lacks ${missing.join(", ")}.`);
    if (table.columns.since_block === undefined) throw new TypeError(`Table ${table.name} has periods but no column since_block.`);
  }
  return projection;
};

/** The key under which a base read is stored: an address, or an address and call data. */
export const baseReadKey = (read: BaseRead): Hex => ("address" in read ? read.address : `${read.to}${read.data.slice(2)}`);
