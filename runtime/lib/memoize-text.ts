import { LRUCache } from "lru-cache";

/** Longer texts are not cached. */
const maxLength = 1_000;

/**
 * Caches a pure function's results for its most recent texts. Memory is bounded if the size of results is bounded and no result is a slice of its
 * text, because a slice retains the entire text.
 */
export function memoizeText<Result>(compute: (text: string) => Result, maxTexts: number): (text: string) => Result {
  const cache = new LRUCache<string, { readonly result: Result }>({ max: maxTexts });
  return (text) => {
    const cached = cache.get(text);
    if (cached !== undefined) return cached.result;
    const result = compute(text);
    if (text.length <= maxLength) cache.set(text, { result });
    return result;
  };
}
