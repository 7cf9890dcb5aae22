/** A value and how long it lasted. */
export interface Weighted<Value> {
  readonly value: Value;
  readonly weight: number;
}

/**
 * The time-weighted median: a value that lasted less than half of the time cannot move it beyond the other values. Returns the lower of two medians, or null
 * if no value has a weight.
 */
export function weightedMedian<Value>(values: readonly Weighted<Value>[], compare: (left: Value, right: Value) => number): Value | null {
  const ordered = values.filter(({ weight }) => weight > 0).sort((left, right) => compare(left.value, right.value));
  const total = ordered.reduce((sum, { weight }) => sum + weight, 0);
  let passed = 0;
  for (const { value, weight } of ordered) {
    passed += weight;
    if (passed * 2 >= total) return value;
  }
  return null;
}
