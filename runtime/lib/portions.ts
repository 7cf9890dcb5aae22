/** Max keys per load: few enough to prepare its parameters and decode its result in a few milliseconds. */
const maxKeys = 10_000;

/** Splits a long list of keys into portions, one per load. A list within the limit is one portion; an empty list yields none. */
export function* portionsOf<Key>(keys: readonly Key[]): Generator<readonly Key[]> {
  if (keys.length > 0 && keys.length <= maxKeys) yield keys;
  else for (let first = 0; first < keys.length; first += maxKeys) yield keys.slice(first, first + maxKeys);
}
