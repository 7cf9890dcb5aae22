import type { Hash } from "../../lib/hex.ts";
import type { Leadership } from "../leader/leader.ts";
import type { ChainFacts, Projection } from "../projection.ts";
import type { StateCache } from "../state/state-cache.ts";

/** What the loop knows of the index while it runs; read anew after every failure. */
export interface Position {
  block: number;
  hash: Hash | null;
  /** The node may have left the stored branch: the last hashes are to be compared before anything else. */
  suspect: boolean;
}

/** What the parts of one chain's loop share. */
export interface Loop {
  /** What is committed. */
  readonly position: Position;
  head: number | null;
  following: boolean;
  leadership: Leadership | null;
  /** Level with the ledger, and carried by the loop. */
  joined: ReadonlySet<Projection>;
  facts: ChainFacts | null;
  /** A new one is put here whenever somebody but the loop has written what it remembers; a batch that was folded from another is folded again. */
  cache: StateCache;
}
