import { distance } from "fastest-levenshtein";
import type { Operation } from "../../generated/operations.gen.ts";

/** Longer paths get no hint: the time to compare grows with their length. */
const maxComparedLength = 400;
const segmentsOf = (path: string): readonly string[] => path.split("/").filter((segment) => segment !== "");

/** The edit distance of a path to an endpoint's; parameters match anything, and an extra or missing segment counts its length. */
function distanceTo(sent: readonly string[], wanted: readonly string[]): number {
  let sum = 0;
  for (let index = 0; index < Math.max(sent.length, wanted.length); index++) {
    const [left = "", right = ""] = [sent[index], wanted[index]];
    sum += right.startsWith("{") ? (left === "" ? right.length : 0) : distance(left, right);
  }
  return sum;
}

/** Creates the hint of a 404: the endpoint with the nearest path. */
export function createPathHint(operations: readonly Pick<Operation, "path">[]): (path: string) => string {
  const known = operations.map(({ path }) => ({ path, segments: segmentsOf(path) }));
  return (path) => {
    const elsewhere = "all paths are listed at /docs/";
    if (path.length > maxComparedLength || !path.startsWith("/v1")) return elsewhere;
    const sent = segmentsOf(path);
    let nearest = { path: "", far: Number.POSITIVE_INFINITY };
    for (const candidate of known) {
      if (Math.abs(candidate.segments.length - sent.length) > 1) continue;
      const far = distanceTo(sent, candidate.segments);
      if (far < nearest.far) nearest = { path: candidate.path, far };
    }
    return nearest.far <= Math.max(3, path.length / 4) ? `the nearest path is ${nearest.path}` : elsewhere;
  };
}
