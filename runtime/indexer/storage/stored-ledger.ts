import type { ChainBlock, NativeAccounting } from "../../chain/types.ts";
import type { Hash } from "../../lib/hex.ts";
import type { Projection } from "../projection.ts";

/** Where the chain itself is kept: the projection that keeps it, and how to read it back. */
export interface StoredLedger {
  readonly projection: Projection;
  /** Stored blocks from..to inclusive, with what the index's accounting had them stored with. */
  blocks(from: number, to: number, accounting: NativeAccounting): Promise<ChainBlock[]>;
  /** Hashes of the stored blocks from..to inclusive, by height. */
  hashes(from: number, to: number): Promise<ReadonlyMap<number, Hash>>;
  /** Whether a native balance is unknown right before or after a block that touched its account: its node lacked that state. */
  lacksBalances(): Promise<boolean>;
  /** The last of at most `blocks` stored blocks that together have at most so many transactions, and at least one block; null where none is stored. */
  heightAfter(from: number, transactions: number, blocks: number): Promise<number | null>;
}
