import type { Segment } from "./model.ts";
import { compareText } from "./names.ts";

/** Splits a path such as `/v1/{chainName}/xy=k/` into segments. */
export function segmentsOf(path: string): Segment[] {
  return path
    .split("/")
    .filter((segment) => segment !== "")
    .map((segment) => (segment.startsWith("{") ? { parameter: segment.slice(1, -1) } : { literal: segment }));
}

/**
 * Orders routes so that the first match is the most specific: at the first segment in which two paths differ, a literal precedes a
 * parameter. Express matches routes in the order of registration.
 */
export function compareRoutes(left: readonly Segment[], right: readonly Segment[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = compareSegments(left[index], right[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareSegments(left: Segment | undefined, right: Segment | undefined): number {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  const leftLiteral = "literal" in left;
  const rightLiteral = "literal" in right;
  if (leftLiteral && rightLiteral) return compareText(left.literal, right.literal);
  return Number(rightLiteral) - Number(leftLiteral);
}

/** Joins segments to an Express 5 path: `/v1/:chainName/xy=k/`. */
export function expressPath(segments: readonly Segment[]): string {
  return `/${segments.map((segment) => ("literal" in segment ? segment.literal : `:${segment.parameter}`)).join("/")}/`;
}
