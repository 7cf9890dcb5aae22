import { foldText } from "./homoglyphs.ts";
import type { Rules } from "./rules.ts";

/** What in a text tells its reader to go somewhere. */
export interface Lure {
  readonly rule: "web-address" | "lure-word";
  readonly found: string;
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const anyOf = (texts: readonly string[]): string => texts.map(foldText).map(escapePattern).join("|");

/** Looks for web addresses and words of spam, also where their letters are those of another script. */
export function createLureFinder({ lures }: Pick<Rules, "lures">): (text: string) => Lure | null {
  const edge = { before: "(?<![\\p{L}\\p{N}])", after: "(?![\\p{L}\\p{N}])" };
  const patternOf = (texts: readonly string[]) =>
    texts.length === 0 ? null : new RegExp(`${edge.before}(?:${anyOf(texts)})${edge.after}`, "gu");
  const harmless = patternOf(lures.harmless);
  const words = patternOf(lures.words);
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
    const word = words === null ? undefined : folded.match(words)?.[0];
    return word === undefined ? null : { rule: "lure-word", found: word };
  };
}
