/** A value and how long it stood. */
export interface Weighted<Value> {
  readonly value: Value;
  readonly weight: number;
}

/**
 * The value in the middle of the time: what stood for less than half of it cannot move it beyond what stood the rest. Of two middles the
 * lower one; null where nothing stood.
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
