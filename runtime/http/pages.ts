import type { Operation } from "../../generated/operations.gen.ts";
import { type Anchors, fingerprintOf } from "./anchors.ts";
import type { Common } from "./request-common.ts";

export interface PagesDeps {
  readonly anchors: Pick<Anchors, "find" | "fix">;
  /** The highest block that a chain's answers take in; null before the first. */
  readonly head: (chainId: number) => Promise<number | null>;
}

/** As of which block a request is answered, and what keeps its later pages there. */
export interface Pages {
  /** The anchor of the request's pages, else the head; null without a chain or before its first block. */
  readonly anchor: number | null;
  /** Has an earlier block fixed than the anchor: a list may be as of less than what is indexed. */
  pin(block: number): void;
  /** Fixes the anchor where the answer says that there is more; to be done before it is sent. */
  keep(data: unknown): Promise<void>;
}

const keepNothing = { keep: async (): Promise<void> => undefined, pin: (): void => undefined };

const hasMore = (data: unknown): boolean =>
  typeof data === "object" && data !== null && (data as { pagination?: { has_more?: unknown } | null }).pagination?.has_more === true;

/** Finds the block that a request is answered as of: page 0 takes the head and fixes it, later pages keep to it. */
export async function openPages(
  { anchors, head }: PagesDeps,
  keyId: number,
  operation: Operation,
  { chainId, pageNumber }: Common,
  request: unknown,
): Promise<Pages> {
  if (chainId === null) return { anchor: null, ...keepNothing };
  const top = await head(chainId);
  if (top === null || (operation.regime !== "page" && operation.regime !== "path-page")) return { anchor: top, ...keepNothing };

  const fingerprint = fingerprintOf(keyId, operation.id, request);
  const found = pageNumber === 0 ? null : await anchors.find(fingerprint, chainId);
  // An anchor above the head is of an index that is gone.
  const standing = found !== null && found.block <= top ? found : null;
  const anchor = standing?.block ?? top;
  let fixed = anchor;
  return {
    anchor,
    pin(block) {
      fixed = Math.min(fixed, block);
    },
    async keep(data) {
      if (!hasMore(data) || (standing !== null && !standing.old)) return;
      // Another page without an anchor may be answered at the same time: the first to fix it decides, unless the list begins anew.
      await anchors.fix(fingerprint, chainId, fixed, pageNumber === 0 || found !== null);
    },
  };
}
