/** The same items, or undefined when there are none; takes only the first one before they are asked for. */
export function peek<T>(items: Iterable<T>): Iterable<T> | undefined {
  const iterator = items[Symbol.iterator]();
  const first = iterator.next();
  return first.done ? undefined : resume(first.value, iterator);
}

function* resume<T>(first: T, rest: Iterator<T>): Generator<T, void> {
  yield first;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}
