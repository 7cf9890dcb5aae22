type Table = readonly Readonly<Record<string, string | number>>[];

/** What a benchmark gives: every file of this folder that is one exports `run(words): Promise<BenchResult>`, words being what follows its name. */
export interface BenchResult {
  /** One line a measurement, for people. */
  readonly table: Table;
  /** Further tables, each with columns of its own. */
  readonly further?: readonly Table[];
  /** The same for programs; printed as the last line. */
  readonly figures: Readonly<Record<string, number>>;
  /** A sentence for each target that was missed. */
  readonly missed: readonly string[];
}

/** The middle one of some measurements. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A figure with so many places, as a table shows it. */
export const rounded = (value: number, places = 2): number => Number(value.toFixed(places));
