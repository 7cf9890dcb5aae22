import { distance } from "fastest-levenshtein";
import type { Operation } from "../../generated/operations.gen.ts";

/** Longer paths get no hint: comparing takes time that grows with their length. */
const longestCompared = 400;
const segmentsOf = (path: string): readonly string[] => path.split("/").filter((segment) => segment !== "");

/** How far a path is from an endpoint's, parameters matching anything; a segment too many or missing counts its length. */
function distanceTo(sent: readonly string[], wanted: readonly string[]): number {
  let sum = 0;
  for (let index = 0; index < Math.max(sent.length, wanted.length); index++) {
    const [left = "", right = ""] = [sent[index], wanted[index]];
    sum += right.startsWith("{") ? (left === "" ? right.length : 0) : distance(left, right);
  }
  return sum;
}

/** Finds the endpoint whose path is spelt most like one that does not exist; words it for an error. */
export function createPathHint(operations: readonly Pick<Operation, "path">[]): (path: string) => string {
  const known = operations.map(({ path }) => ({ path, segments: segmentsOf(path) }));
  return (path) => {
    const elsewhere = "all paths are listed at /docs/";
    if (path.length > longestCompared || !path.startsWith("/v1")) return elsewhere;
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
