/** A seeded pseudorandom generator: the same seed produces the same numbers on every machine. Not for secrets. */
export interface Random {
  /** An integer from 0 to limit - 1. */
  below(limit: number): number;
  /** An integer from first to last, inclusive. */
  between(first: number, last: number): number;
  /** True once in this many times, on average. */
  oneIn(outOf: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** FNV-1a over UTF-16 units: turns a seed text into 32 bits. */
const hashSeed = (seed: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < seed.length; index++) hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193);
  return hash >>> 0;
};

/** Creates a generator (Mulberry32) that uses only integers, so that no rounding differs between engines. */
export const createRandom = (seed: string): Random => {
  let state = hashSeed(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number): number => next() % limit;
  return {
    below,
    between: (first, last) => first + below(last - first + 1),
    oneIn: (outOf) => below(outOf) === 0,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("Cannot pick from an empty list");
      return item;
    },
  };
};
