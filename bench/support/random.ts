/** Creates a deterministic generator of numbers in [0, 1) (mulberry32). */
export const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
};

const mix = (word: number): number => {
  let hash = word | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/** Pseudo-random hex of 32-bit words, determined by kind and number: 5 words are an address, 8 a hash. */
export const hexOf = (kind: number, number: number, words: number): `0x${string}` => {
  let text = "0x";
  // Mixes in the high part too, so that numbers above 2^32 differ.
  let state = mix(mix(kind + 0x9e3779b9) ^ number ^ Math.imul(Math.floor(number / 2 ** 32), 0x27d4eb2f));
  for (let word = 0; word < words; word += 1) {
    state = mix(state + Math.imul(word + 1, 0x9e3779b9) + number);
    text += state.toString(16).padStart(8, "0");
  }
  return text as `0x${string}`;
};
