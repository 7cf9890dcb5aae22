/** An indexing loop event. */
export interface Progress {
  readonly phase: "backfill" | "follow" | "catch-up" | "reorganisation";
  /** The projection that catches up; null in the other phases. */
  readonly projection: string | null;
  /** The first block of the index. */
  readonly from: number;
  /** The last indexed block. */
  readonly block: number;
  /** The target block. */
  readonly target: number;
  readonly blocks: number;
  readonly transactions: number;
  readonly rows: number;
}
