import type { Operation } from "../../generated/operations.gen.ts";
import { NotIndexedError, type RequestError } from "../lib/request-error.ts";
import { type Anchors, fingerprintOf } from "./anchors.ts";
import type { Common } from "./request-common.ts";

/** How far the answers of an operation reach. */
export interface Head {
  /** The highest block that they take in. */
  readonly block: number;
  /** The failure of a request for what is above that block or not found, while a part of the index is rebuilt; null when nothing is. */
  readonly rebuilding: RequestError | null;
  /** The last block that each part of the index has. */
  readonly checkpoints: ReadonlyMap<string, number>;
}

export interface PagesDeps {
  readonly anchors: Pick<Anchors, "find" | "fix">;
  /** How far a chain's answers to a request reach; null before the first block. Throws where there is no answer at the moment. */
  readonly head: (chainId: number, operation: string, request: unknown) => Promise<Head | null>;
}

/** As of which block a request is answered, and what keeps its later pages there. */
export interface Pages {
  /** The anchor of the request's pages, else the head; null without a chain or before its first block. */
  readonly anchor: number | null;
  readonly rebuilding: Head["rebuilding"];
  readonly checkpoints: Head["checkpoints"];
  /** Has an earlier block fixed than the anchor: a list may be as of less than what is indexed. */
  pin(block: number): void;
  /** Fixes the anchor where the answer says that there is more; to be done before it is sent. */
  keep(data: unknown): Promise<void>;
}

const keepNothing = { keep: async (): Promise<void> => undefined, pin: (): void => undefined };
const noHead = { anchor: null, rebuilding: null, checkpoints: new Map<string, number>() };

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
  const found = chainId === null ? null : await head(chainId, operation.id, request);
  if (chainId === null || found === null) return { ...noHead, ...keepNothing };
  const { block: top, rebuilding, checkpoints } = found;
  if (operation.regime !== "page" && operation.regime !== "path-page") return { anchor: top, rebuilding, checkpoints, ...keepNothing };

  const fingerprint = fingerprintOf(keyId, operation.id, request);
  const fixedBefore = pageNumber === 0 ? null : await anchors.find(fingerprint, chainId);
  // The earlier pages show rows that are not there yet.
  if (rebuilding !== null && fixedBefore !== null && fixedBefore.block > top) throw rebuilding;
  // An anchor above the head is of an index that is gone.
  const standing = fixedBefore !== null && fixedBefore.block <= top ? fixedBefore : null;
  const anchor = standing?.block ?? top;
  let fixed = anchor;
  return {
    anchor,
    rebuilding,
    checkpoints,
    pin(block) {
      fixed = Math.min(fixed, block);
    },
    async keep(data) {
      if (!hasMore(data) || (standing !== null && !standing.old)) return;
      // Another page without an anchor may be answered at the same time: the first to fix it decides, unless the list begins anew.
      await anchors.fix(fingerprint, chainId, fixed, pageNumber === 0 || fixedBefore !== null);
    },
  };
}

/** Runs a resolver; what it does not find while a part of the index is rebuilt may be in the part that is missing. */
export async function resolveOn<D>({ rebuilding }: Pick<Pages, "rebuilding">, resolve: () => Promise<D>): Promise<D> {
  try {
    return await resolve();
  } catch (error) {
    throw rebuilding !== null && error instanceof NotIndexedError ? rebuilding : error;
  }
}
