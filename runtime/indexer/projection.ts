import type { CallOutcome } from "../chain/source.ts";
import type { NativeAccounting } from "../chain/types.ts";
import type { CopyType } from "../database/copy.ts";
import type { DecodedBlock, EventDefinition } from "../events/decoded-block.ts";
import type { Address, Hex } from "../lib/hex.ts";
import type { KeySet, Row, State } from "./state/state.ts";

export type { Row } from "./state/state.ts";

interface TableBase {
  readonly name: string;
  readonly columns: Readonly<Record<string, CopyType>>;
}

/** Rows that never change, each of the block in its block column; rolling back deletes them. */
export interface AppendTable extends TableBase {
  readonly kind: "append";
  /** `block_number` where it is not said. */
  readonly blockColumn?: string;
}

/**
 * What holds now, one row a key. Where the past is kept, `since_block` is the block that set the row, and what a row replaces goes to the
 * `periods` table. Null where only the newest counts and no roll-back brings an older one back.
 */
export interface LatestTable extends TableBase {
  readonly kind: "latest";
  readonly key: readonly string[];
  readonly periods: string | null;
}

/** What held before, of a latest table: a row is written when its value ends, with the blocks `from_block` to `to_block` that had it, and never changed. */
export interface PeriodTable extends TableBase {
  readonly kind: "periods";
}

/** Work for somebody else, one row a key; what is already there stays, and building a projection again leaves it alone. */
export interface QueueTable extends TableBase {
  readonly kind: "queue";
  readonly key: readonly string[];
}

export type Table = AppendTable | LatestTable | PeriodTable | QueueTable;

/** Which stored rows a fold starts from: one a key, the newest by `newestBy` where the key has several. */
export interface StateLoad {
  readonly table: string;
  readonly key: Readonly<Record<string, CopyType>>;
  readonly values: readonly string[];
  readonly newestBy?: string;
}

/** The state of the chain right before the first indexed block, asked of the node when it is first needed. */
export type BaseRead = { readonly firstBlock: number } & ({ readonly address: Address } | { readonly to: Address; readonly data: Hex });

/** What a fold may know of the chain. */
export interface ChainFacts {
  /** First indexed block. */
  readonly from: number;
  /** The block whose state is the base: the one before the first, or the genesis block. */
  readonly baseBlock: number;
  readonly nativeAccounting: NativeAccounting;
  readonly wrappedNative: ReadonlySet<Address>;
}

/** What a fold starts from. */
export interface FoldInput {
  readonly chain: ChainFacts;
  readonly state: State;
  /** The node's word for the base reads that the projection asked for. */
  readonly base: (read: BaseRead) => CallOutcome;
}

/** Decoded blocks in order to rows: pure, so that a test can feed it by hand. */
export interface Projection {
  readonly id: string;
  /** Raised when the rows change their meaning: then they are built again from the stored ledger. */
  readonly version: number;
  readonly events: readonly EventDefinition[];
  readonly tables: readonly Table[];
  readonly loads: Readonly<Record<string, StateLoad>>;
  /** The keys of each load that these blocks touch. */
  readonly needs: (blocks: readonly DecodedBlock[], chain: ChainFacts) => Readonly<Record<string, KeySet>>;
  readonly reads?: (blocks: readonly DecodedBlock[], state: State, chain: ChainFacts) => readonly BaseRead[];
  /** Rows by the name of their table. */
  readonly fold: (blocks: readonly DecodedBlock[], input: FoldInput) => Readonly<Record<string, readonly Row[]>>;
}

/** The columns of a latest table that are neither its key nor its first block. */
export const valuesOf = (table: LatestTable): string[] =>
  Object.keys(table.columns).filter((column) => column !== "since_block" && !table.key.includes(column));

/** States a projection; a table whose periods cannot bring its rows back is a mistake found here. */
export const defineProjection = (projection: Projection): Projection => {
  for (const table of projection.tables) {
    if (table.kind !== "latest" || table.periods === null) continue;
    const periods = projection.tables.find(({ name }) => name === table.periods);
    const wanted = [...table.key, "from_block", "to_block", ...valuesOf(table)];
    const missing = wanted.filter((column) => periods?.columns[column] === undefined);
    if (periods?.kind !== "periods" || missing.length > 0 || table.columns.since_block === undefined)
      throw new TypeError(`The periods of table ${table.name} lack ${missing.join(", ") || "a definition"}.`);
  }
  return projection;
};

/** The stored key of a base read: an address, or an address and call data. */
export const baseReadKey = (read: BaseRead): Hex => ("address" in read ? read.address : `${read.to}${read.data.slice(2)}`);
