import { distance } from "fastest-levenshtein";
import type { Operation } from "../../generated/operations.gen.ts";

/** Longer paths get no hint, because the time to compare them grows with their length. */
const maxComparedLength = 400;
const segmentsOf = (path: string): readonly string[] => path.split("/").filter((segment) => segment !== "");

/** The edit distance between a path and an endpoint's path; parameters match anything, and an extra or missing segment counts with its length. */
function distanceTo(sent: readonly string[], expected: readonly string[]): number {
  let sum = 0;
  for (let index = 0; index < Math.max(sent.length, expected.length); index++) {
    const [left = "", right = ""] = [sent[index], expected[index]];
    sum += right.startsWith("{") ? (left === "" ? right.length : 0) : distance(left, right);
  }
  return sum;
}

/** Creates the hint in a 404: the endpoint with the nearest path. */
export function createPathHint(operations: readonly Pick<Operation, "path">[]): (path: string) => string {
  const endpoints = operations.map(({ path }) => ({ path, segments: segmentsOf(path) }));
  return (path) => {
    const noHint = "all paths are listed at /docs/";
    if (path.length > maxComparedLength || !path.startsWith("/v1")) return noHint;
    const sent = segmentsOf(path);
    let nearest = { path: "", edits: Number.POSITIVE_INFINITY };
    for (const candidate of endpoints) {
      if (Math.abs(candidate.segments.length - sent.length) > 1) continue;
      const edits = distanceTo(sent, candidate.segments);
      if (edits < nearest.edits) nearest = { path: candidate.path, edits };
    }
    return nearest.edits <= Math.max(3, path.length / 4) ? `the nearest path is ${nearest.path}` : noHint;
  };
}
