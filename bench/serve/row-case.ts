/** A row of the interface under load. */
export interface RowCase {
  readonly row: string;
  readonly name: string;
  readonly kind: "list" | "balances" | "other";
  /** Paths, requested in turn. */
  readonly paths: readonly string[];
  /** For multi-megabyte responses, whose JSON takes longer than their statement: the bare server is not compared with pgbench. */
  readonly isLong?: boolean;
  /** The max number of connections that is measured. */
  readonly maxConnections?: number;
}
