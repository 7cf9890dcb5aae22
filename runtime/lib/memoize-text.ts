import { LRUCache } from "lru-cache";

/** Longer texts are not kept. */
const longestKept = 1_000;

/**
 * A pure function of a text that keeps its results for the texts that were asked last. So many entries have a known size where its results have one, and are
 * no slices of the text: a slice holds the whole text in memory.
 */
export function memoizeText<Result>(compute: (text: string) => Result, maxTexts: number): (text: string) => Result {
  const kept = new LRUCache<string, { readonly result: Result }>({ max: maxTexts });
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known.result;
    const result = compute(text);
    if (text.length <= longestKept) kept.set(text, { result });
    return result;
  };
}
