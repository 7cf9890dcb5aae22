import type { Operation } from "../../generated/operations.gen.ts";
import { NotIndexedError, type RequestError } from "../lib/request-error.ts";
import { type Anchors, fingerprintOf } from "./anchors.ts";
import type { CommonFields } from "./common-fields.ts";

/** The block up to which a request's responses are current. */
export interface Head {
  /** The highest block that responses include. */
  readonly block: number;
  /** While a part of the index is being rebuilt, the error for requests above that block or for data that is not found; otherwise null. */
  readonly rebuildError: RequestError | null;
  /** The first indexed block if it is not the chain's first block, otherwise null. */
  readonly indexedFrom: number | null;
  /** The checkpoint of each projection. */
  readonly checkpoints: ReadonlyMap<string, number>;
  /** A version that changes whenever a response may change; null if it is unknown. */
  readonly content: ContentVersion | null;
}

/** Identifies the index content, and when it last changed. */
export interface ContentVersion {
  readonly id: string;
  readonly changedAt: Date;
}

export interface RequestAnchorDeps {
  readonly anchors: Pick<Anchors, "find" | "pin">;
  /** The head of a chain for a request; null before the first block. @throws {RequestError} 503 if the request cannot be served during a rebuild. */
  readonly head: (chainId: number, operation: string, request: unknown) => Promise<Head | null>;
  /** All chains' content version, for requests without a chain; null if it is unknown. */
  readonly contentOfAll: () => Promise<ContentVersion | null>;
}

/** The part of its chain's index that a request reads. */
export interface ReadScope {
  /** The as-of block: the list's anchor, otherwise the indexed head; null if there is no chain or it has no block yet. */
  readonly anchor: number | null;
  /** While a required part of the index is being rebuilt, the error for requests above the anchor; otherwise null. */
  readonly rebuildError: RequestError | null;
  /** The first indexed block if it is not the chain's first block, otherwise null. */
  readonly indexedFrom: number | null;
  /** The checkpoint of each projection. */
  readonly checkpoints: ReadonlyMap<string, number>;
}

/** A request's as-of block, and the functions that pin its later pages. */
export interface RequestAnchor {
  readonly scope: ReadScope;
  readonly content: Head["content"];
  /** The block at which later pages are pinned; null without a list. */
  pinnedBlock(): number | null;
  /** Pins a block that is earlier than the anchor, because a list may be as of a projection's checkpoint. */
  pin(block: number): void;
  /** Stores the anchor if the list has more pages; to be called before the response is sent. Undefined if there is nothing to store. */
  storeAnchor(hasMore: boolean): Promise<void> | undefined;
}

const withoutAnchor = { storeAnchor: (): undefined => undefined, pin: (): void => undefined, pinnedBlock: () => null };
const noHead: ReadScope = { anchor: null, rebuildError: null, indexedFrom: null, checkpoints: new Map() };

/** Whether a response's list has more pages. */
export const hasMorePages = (data: unknown): boolean =>
  typeof data === "object" && data !== null && (data as { pagination?: { has_more?: unknown } | null }).pagination?.has_more === true;

/** Determines a request's as-of block: page 0 uses the head and pins it for later pages. */
export async function determineAnchor(
  { anchors, head, contentOfAll }: RequestAnchorDeps,
  keyId: number,
  operation: Operation,
  { chainId, pageNumber }: CommonFields,
  request: unknown,
): Promise<RequestAnchor> {
  if (chainId === null) return { scope: noHead, content: await contentOfAll(), ...withoutAnchor };
  const found = await head(chainId, operation.id, request);
  if (found === null) return { scope: noHead, content: null, ...withoutAnchor };
  const { block: top, rebuildError, indexedFrom, checkpoints, content } = found;
  if (operation.style !== "page" && operation.style !== "path-page")
    return { scope: { anchor: top, rebuildError, indexedFrom, checkpoints }, content, ...withoutAnchor };

  const headOfList = { block: top, content: content?.id ?? null };
  const fingerprint = pageNumber === 0 ? null : fingerprintOf(keyId, operation.id, request);
  const stored = fingerprint === null ? null : await anchors.find(fingerprint, chainId, headOfList);
  // The pages sent so far contain rows that are not rebuilt yet.
  if (rebuildError !== null && stored !== null && stored.block > top) throw rebuildError;
  // An anchor above the head was stored by an index that no longer exists.
  const valid = stored !== null && stored.block <= top ? stored : null;
  const anchor = valid?.block ?? top;
  let pinned = anchor;
  return {
    scope: { anchor, rebuildError, indexedFrom, checkpoints },
    content,
    pinnedBlock: () => pinned,
    pin(block) {
      pinned = Math.min(pinned, block);
    },
    storeAnchor(hasMore) {
      if (!hasMore || (valid !== null && !valid.isOld)) return;
      // Concurrent pages without an anchor: the first one to store it wins, unless page 0 restarts the list.
      const list = fingerprint ?? fingerprintOf(keyId, operation.id, request);
      return anchors.pin(list, chainId, pinned, pageNumber === 0 || stored !== null, headOfList);
    },
  };
}

/** Converts a resolver's error. Data that is not found during a rebuild may be in the part that is still missing, so the error is 503 then. */
export const errorDuringRebuild = ({ rebuildError }: ReadScope, error: unknown): unknown =>
  rebuildError !== null && error instanceof NotIndexedError ? rebuildError : error;
