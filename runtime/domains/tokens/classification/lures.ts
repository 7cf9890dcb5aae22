import { foldText } from "./homoglyphs.ts";
import type { Rules } from "./rules.ts";

/** A part of a text that urges its reader to visit a site or to act. */
export interface Lure {
  readonly rule: "web-address" | "lure-word";
  readonly found: string;
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const anyOf = (texts: readonly string[]): string => texts.map(foldText).map(escapePattern).join("|");

const edge = { before: "(?<![\\p{L}\\p{N}])", after: "(?![\\p{L}\\p{N}])" };
const wholeWords = (texts: readonly string[], flags: "u" | "gu"): RegExp | null =>
  texts.length === 0 ? null : new RegExp(`${edge.before}(?:${anyOf(texts)})${edge.after}`, flags);

/** Finds whole words from a list, even if look-alike letters of other scripts replace some letters. */
export function createWordFinder(words: readonly string[]): (text: string) => string | null {
  const wordIn = createFoldedWordFinder(words);
  return (text) => wordIn(foldText(text));
}

function createFoldedWordFinder(words: readonly string[]): (folded: string) => string | null {
  const pattern = wholeWords(words, "u");
  return (folded) => pattern?.exec(folded)?.[0] ?? null;
}

/** Finds web addresses and spam words, even if look-alike letters of other scripts replace some letters. */
export function createLureFinder({ lures }: Pick<Rules, "lures">): (text: string) => Lure | null {
  const harmless = wholeWords(lures.harmless, "gu");
  const wordIn = createFoldedWordFinder(lures.words);
  const scheme = /(?:https?:\/\/|www\.|(?<![\p{L}\p{N}])t\.me\/)\S*/u;
  const domainIn = createDomainFinder(lures.topLevelDomains);
  return (text) => {
    const folded = foldText(text);
    const address = scheme.exec(folded)?.[0] ?? domainIn(harmless === null ? folded : folded.replace(harmless, " "));
    if (address !== null) return { rule: "web-address", found: address };
    const word = wordIn(folded);
    return word === null ? null : { rule: "lure-word", found: word };
  };
}

/**
 * Finds a label, a dot (or "[dot]") and a top-level domain. It searches for dots and then backwards for the label, which takes linear time: a forward search
 * from labels would scan a long word once for each of its letters.
 */
function createDomainFinder(endings: readonly string[]): (folded: string) => string | null {
  if (endings.length === 0) return () => null;
  const dot = "(?:\\.|\\s?[[(](?:\\.|dot)[\\])]\\s?)";
  // The lookahead limits the lookbehind to possible dots; otherwise each hyphen of a long run would scan back to its start.
  const dotAndEnding = new RegExp(`(?=[.\\s[(])(?<=[\\p{L}\\p{N}]-*)${dot}(?:${anyOf(endings)})${edge.after}`, "u");
  return (folded) => {
    const match = dotAndEnding.exec(folded);
    return match === null ? null : labelBefore(folded, match.index) + match[0];
  };
}

const labelCharacter = /[\p{L}\p{N}-]/u;

/** The letters, digits and hyphens before an offset, without leading hyphens. */
function labelBefore(folded: string, end: number): string {
  const before = [...folded.slice(0, end)];
  const start = before.findLastIndex((character) => !labelCharacter.test(character)) + 1;
  return before.slice(start).join("").replace(/^-+/, "");
}
