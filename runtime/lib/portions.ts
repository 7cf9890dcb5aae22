/** Max number of keys of one load: its parameters are prepared, and its result is decoded, in a few milliseconds. */
const maxKeys = 10_000;

/** A long list of keys in portions for one load each; a shorter list is its only portion, and an empty one has none. */
export function* portionsOf<Key>(keys: readonly Key[]): Generator<readonly Key[]> {
  if (keys.length > 0 && keys.length <= maxKeys) yield keys;
  else for (let first = 0; first < keys.length; first += maxKeys) yield keys.slice(first, first + maxKeys);
}
