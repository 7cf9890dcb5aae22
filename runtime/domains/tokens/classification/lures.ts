import { foldText } from "./homoglyphs.ts";
import type { Rules } from "./rules.ts";

/** What in a text tells its reader to go somewhere. */
export interface Lure {
  readonly rule: "web-address" | "lure-word";
  readonly found: string;
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const anyOf = (texts: readonly string[]): string => texts.map(foldText).map(escapePattern).join("|");

const edge = { before: "(?<![\\p{L}\\p{N}])", after: "(?![\\p{L}\\p{N}])" };
const wholeWords = (texts: readonly string[]): RegExp | null =>
  texts.length === 0 ? null : new RegExp(`${edge.before}(?:${anyOf(texts)})${edge.after}`, "gu");

/** Looks for whole words of a list, also where their letters are those of another script. */
export function createWordFinder(words: readonly string[]): (text: string) => string | null {
  const wordIn = createFoldedWordFinder(words);
  return (text) => wordIn(foldText(text));
}

function createFoldedWordFinder(words: readonly string[]): (folded: string) => string | null {
  const pattern = wholeWords(words);
  return (folded) => (pattern === null ? null : (folded.match(pattern)?.[0] ?? null));
}

/** Looks for web addresses and words of spam, also where their letters are those of another script. */
export function createLureFinder({ lures }: Pick<Rules, "lures">): (text: string) => Lure | null {
  const harmless = wholeWords(lures.harmless);
  const wordIn = createFoldedWordFinder(lures.words);
  const scheme = /(?:https?:\/\/|www\.|(?<![\p{L}\p{N}])t\.me\/)\S*/u;
  // A label, a dot, also a spelt one, and an ending: what a browser takes for an address.
  const dot = "(?:\\.|\\s?[[(](?:\\.|dot)[\\])]\\s?)";
  const domain =
    lures.topLevelDomains.length === 0
      ? null
      : new RegExp(`[\\p{L}\\p{N}][\\p{L}\\p{N}-]*${dot}(?:${anyOf(lures.topLevelDomains)})${edge.after}`, "u");
  return (text) => {
    const folded = foldText(text);
    const address = scheme.exec(folded) ?? domain?.exec(harmless === null ? folded : folded.replace(harmless, " "));
    if (address) return { rule: "web-address", found: address[0] };
    const word = wordIn(folded);
    return word === null ? null : { rule: "lure-word", found: word };
  };
}
