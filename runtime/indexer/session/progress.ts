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
  /** The blocks, transactions and rows written since the previous event. In a reorganisation, `blockCount` counts the replaced blocks and the others are 0. */
  readonly blockCount: number;
  readonly transactionCount: number;
  readonly rowCount: number;
}
