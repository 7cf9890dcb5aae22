type Table = readonly Readonly<Record<string, string | number>>[];

/**
 * Result of a benchmark. Every benchmark is a file in this folder that exports `run(args): Promise<BenchResult>`; `args` are the command-line
 * arguments after its name.
 */
export interface BenchResult {
  /** One row per measurement. */
  readonly table: Table;
  /** More tables, with other columns. */
  readonly otherTables?: readonly Table[];
  /** Sentences about the tables. */
  readonly notes?: readonly string[];
  /** Machine-readable figures, printed as one line of JSON at the end. */
  readonly figures: Readonly<Record<string, number>>;
  /** One sentence for each missed target. */
  readonly missed: readonly string[];
}

/** Median of the values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Rounds to a number of decimals for display. */
export const rounded = (value: number, decimals = 2): number => Number(value.toFixed(decimals));

/** Rounds like `rounded`; a missing value is blank. */
export const roundedOrBlank = (value: number | null, decimals?: number): number | string =>
  value === null ? "" : rounded(value, decimals);
