import type { CallOutcome } from "../chain/source.ts";
import type { LatestTable, Row } from "../indexer/projection.ts";
import type { Address, Hex } from "../lib/hex.ts";

/** What is known of a read when its answers are turned into a row. */
export interface NodeReadPlace {
  readonly key: Address;
  /** The block that made the read necessary. */
  readonly blockNumber: number;
  /** The block whose state was read. */
  readonly readAtBlock: number;
}

/** A read of the node that may wait: pure descriptions of what to call for a key, and of the row that the answers make. */
export interface NodeRead {
  readonly kind: string;
  readonly calls: (key: Address) => readonly { readonly to: Address; readonly data: Hex }[];
  readonly table: LatestTable;
  readonly toRow: (place: NodeReadPlace, outcomes: readonly (CallOutcome | undefined)[]) => Row;
}
