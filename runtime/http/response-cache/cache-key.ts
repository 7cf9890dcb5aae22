import type { Operation } from "../../../generated/operations.gen.ts";
import type { RequestAnchor } from "../request-anchor.ts";

const withBigints = (_name: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value);

/**
 * Identifies everything that a response depends on: the operation, its parsed parameters, its links' base URL, its as-of block, the index content
 * and the UTC day. Null if the content has no version.
 */
export const cacheKey = (
  { id }: Pick<Operation, "id">,
  request: unknown,
  base: string,
  { scope, content }: Pick<RequestAnchor, "scope" | "content">,
  now: Date,
): string | null =>
  content === null
    ? null
    : `${id} ${base} ${scope.anchor} ${content.id} ${Math.floor(now.getTime() / dayMilliseconds)} ${JSON.stringify(request, withBigints)}`;

const dayMilliseconds = 86_400_000;
