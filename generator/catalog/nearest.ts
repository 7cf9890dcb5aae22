import { distance } from "fastest-levenshtein";

/** The maximum number of names in a diagnostic; the rest are counted. */
const listedNames = 8;

/** The candidate with the nearest spelling, or null if none is near enough. */
export function nearest(name: string, candidates: readonly string[]): string | null {
  const [best] = byDistance(name, candidates);
  // Half of the letters may differ: suggestions beyond that are misleading.
  return best !== undefined && best.distance <= Math.max(2, Math.ceil(name.length / 2)) ? best.name : null;
}

/** The names accepted instead of `name`, nearest first if there are too many to list. */
export function renderAccepted(name: string, candidates: readonly string[]): string {
  const names = [...new Set(candidates)];
  if (names.length === 0) return "none";
  if (names.length <= listedNames) return names.join(", ");
  const shown = byDistance(name, names).slice(0, listedNames);
  return `${shown.map((candidate) => candidate.name).join(", ")} and ${names.length - listedNames} more`;
}

function byDistance(name: string, candidates: readonly string[]): { name: string; distance: number }[] {
  return [...candidates]
    .map((candidate) => ({ name: candidate, distance: spellingDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance);
}

// A shortened or extended name (`chain` for `chainName`) is nearer than its edit distance, but not nearer than one wrong letter.
function spellingDistance(left: string, right: string): number {
  const isPrefix = left !== "" && (left.startsWith(right) || right.startsWith(left));
  return Math.min(isPrefix ? 1.5 : Number.POSITIVE_INFINITY, distance(left, right));
}
