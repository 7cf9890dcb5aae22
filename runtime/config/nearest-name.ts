import { distance } from "fastest-levenshtein";

/** The known name with the most similar spelling; null if none is similar enough to be a typo. */
export function nearestName(name: string, known: readonly string[]): string | null {
  let nearest: { readonly name: string; readonly edits: number } | null = null;
  for (const candidate of known) {
    const edits = distance(name.toLowerCase(), candidate.toLowerCase());
    if (nearest === null || edits < nearest.edits) nearest = { name: candidate, edits };
  }
  // A name with more than a third of its letters changed is a different name.
  return nearest !== null && nearest.edits <= Math.max(2, Math.floor(name.length / 3)) ? nearest.name : null;
}
