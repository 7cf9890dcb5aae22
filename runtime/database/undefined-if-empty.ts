/** Returns the same items, or undefined if there are none; reads only the first item ahead. */
export function undefinedIfEmpty<T>(items: Iterable<T>): Iterable<T> | undefined {
  const iterator = items[Symbol.iterator]();
  const first = iterator.next();
  return first.done ? undefined : resume(first.value, iterator);
}

function* resume<T>(first: T, rest: Iterator<T>): Generator<T, void> {
  yield first;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}
