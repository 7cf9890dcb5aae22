import { distance } from "fastest-levenshtein";

/** Max names in a diagnostic; the rest are counted. */
const maxListedNames = 8;

/** The candidate with the nearest spelling, or null if none is similar enough. */
export function nearest(name: string, candidates: readonly string[]): string | null {
  const [best] = byDistance(name, candidates);
  // Up to half of the letters may differ: beyond that, a suggestion would be misleading.
  return best !== undefined && best.distance <= Math.max(2, Math.ceil(name.length / 2)) ? best.name : null;
}

/** The names expected instead of `name`; only the nearest ones if there are too many to list. */
export function renderExpected(name: string, candidates: readonly string[]): string {
  const names = [...new Set(candidates)];
  if (names.length === 0) return "none";
  if (names.length <= maxListedNames) return names.join(", ");
  const shown = byDistance(name, names).slice(0, maxListedNames);
  return `${shown.map((candidate) => candidate.name).join(", ")} and ${names.length - maxListedNames} more`;
}

function byDistance(name: string, candidates: readonly string[]): { name: string; distance: number }[] {
  return [...candidates]
    .map((candidate) => ({ name: candidate, distance: spellingDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance);
}

// A shortened or extended name (`chain` for `chainName`) is nearer than its edit distance suggests, but not nearer than a name with one wrong letter.
function spellingDistance(left: string, right: string): number {
  const isPrefix = left !== "" && (left.startsWith(right) || right.startsWith(left));
  return Math.min(isPrefix ? 1.5 : Number.POSITIVE_INFINITY, distance(left, right));
}
