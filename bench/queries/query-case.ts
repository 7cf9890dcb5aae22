/** A query that is run repeatedly; `ask` receives the number of the run. */
export interface QueryCase {
  readonly name: string;
  /** Milliseconds on the reference machine that the median must stay below; null where it is only shown. */
  readonly target: number | null;
  readonly ask: (time: number) => Promise<readonly unknown[]>;
  /** Minimum number of rows: a query that finds nothing measures nothing. */
  readonly rows: number;
}
