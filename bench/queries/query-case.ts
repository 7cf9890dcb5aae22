/** One question, asked again and again; `ask` is given the number of the time. */
export interface QueryCase {
  readonly name: string;
  /** Milliseconds on the reference machine that the median must stay below; null where it is only shown. */
  readonly target: number | null;
  readonly ask: (time: number) => Promise<readonly unknown[]>;
  /** Rows of an answer at least: a query that finds nothing measures nothing. */
  readonly rows: number;
}
