/** Counts responses by status and by operation. */
export function createCounts() {
  const statuses = new Map<number, number>();
  const byOperation = new Map<string, Map<number, number>>();
  const succeeded = new Set<string>();
  const increase = (counts: Map<number, number>, status: number): void => void counts.set(status, (counts.get(status) ?? 0) + 1);
  const textOf = (counts: ReadonlyMap<number, number>): string =>
    [...counts]
      .sort(([left], [right]) => left - right)
      .map(([status, count]) => `${status}: ${count}`)
      .join(", ");
  return {
    statuses,
    /** The operations with a 200 response. */
    succeeded,
    /** `matchesOperation` is false if another operation may have responded. */
    add(operation: string, status: number, matchesOperation: boolean): void {
      increase(statuses, status);
      const counts = byOperation.get(operation) ?? new Map<number, number>();
      byOperation.set(operation, counts);
      increase(counts, status);
      if (status === 200 && matchesOperation) succeeded.add(operation);
    },
    /** A line of totals, and one line per operation. */
    text: () =>
      [`all  ${textOf(statuses)}`, ...[...byOperation].map(([operation, counts]) => `${operation}  ${textOf(counts)}`)].join("\n"),
  };
}
