/** A row of the interface under load. */
export interface RowCase {
  readonly row: string;
  readonly name: string;
  readonly kind: "list" | "balances" | "other";
  /** Paths, requested in turn. */
  readonly paths: readonly string[];
  /** For responses of megabytes: the largest number of connections that is measured. */
  readonly maxConnections?: number;
}
