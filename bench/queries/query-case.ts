/** A query that is run repeatedly; `run` receives the number of the iteration. */
export interface QueryCase {
  readonly name: string;
  /** Milliseconds on the reference machine that the median must stay below; null if the median is only reported. */
  readonly targetMilliseconds: number | null;
  readonly run: (iteration: number) => Promise<readonly unknown[]>;
  /** The minimum number of rows, because timing a query that finds nothing is meaningless. */
  readonly minRows: number;
}
