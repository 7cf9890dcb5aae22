import { LRUCache } from "lru-cache";

/** Longer texts are not cached. */
const maxLength = 1_000;

/**
 * Caches the results of a pure function for its most recent texts. The memory is bounded if the results are bounded and no slices of the text: a slice
 * keeps the whole text in memory.
 */
export function memoizeText<Result>(compute: (text: string) => Result, maxTexts: number): (text: string) => Result {
  const kept = new LRUCache<string, { readonly result: Result }>({ max: maxTexts });
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known.result;
    const result = compute(text);
    if (text.length <= maxLength) kept.set(text, { result });
    return result;
  };
}
