import { LRUCache } from "lru-cache";
import type { Compression } from "../compression/compression.ts";
import { createRenderedResponse, type RenderedResponse, type SerializedResponse } from "./rendered-response.ts";
import { createSingleFlight } from "./single-flight.ts";

/** The facts that the HTTP layer derives from a response's data. */
export interface ResponseFacts {
  /** The cost in hundredths of a credit. */
  readonly costHundredths: number;
  readonly hasMore: boolean;
  /** The block at which later pages of the list are pinned. */
  readonly pinnedBlock: number | null;
}

/** A resolver's result. */
export interface ComputedResponse {
  readonly facts: ResponseFacts;
  readonly data: unknown;
  /** Whether it depends on more than the index, so that it must not be cached. */
  readonly isVolatile: boolean;
}

/** A response to send: rendered, or as data that is serialized while it is sent. It may be sent to several requests. */
export interface SendableResponse {
  readonly facts: ResponseFacts;
  readonly content: { readonly rendered: RenderedResponse } | { readonly data: unknown };
}

/** The value of the X-Cache header: cached before, computed for a concurrent request, computed for this one and cached, or not cached. */
export type CacheState = "HIT" | "SHARED" | "MISS" | "NONE";

/** Caches responses by key, so that each is computed once per version of the index. */
export interface ResponseCache {
  /**
   * The response for a key. `serialize` returns null for data that should be serialized while it is sent, because it is longer than a number of bytes.
   */
  getOrCompute(
    key: string,
    compute: () => Promise<ComputedResponse>,
    serialize: (data: unknown, maxBytes: number) => Promise<SerializedResponse | null>,
  ): Promise<{ readonly outcome: SendableResponse; readonly state: CacheState }>;
}

/** The share of the cache that one response may take. */
const maxShare = 1 / 16;
/** Memory of an entry besides its bodies and its key. */
const entryBytes = 512;

/** Creates a cache that discards the least recently used responses above its size. */
export function createResponseCache(megabytes: number, compression: Pick<Compression, "encode">): ResponseCache {
  const maxSize = megabytes * 1024 * 1024;
  const maxBytes = Math.floor(maxSize * maxShare);
  const cached = new LRUCache<string, SendableResponse>({ maxSize });
  const share = createSingleFlight<{ readonly outcome: SendableResponse; readonly isCached: boolean }>();

  const render = (
    key: string,
    facts: ResponseFacts,
    serialized: SerializedResponse,
  ): { readonly outcome: SendableResponse; readonly isCached: boolean } => {
    const isCached = serialized.body.length <= maxBytes;
    const store = (): void => {
      cached.set(key, outcome, { size: entryBytes + 2 * key.length + rendered.bytes() });
    };
    const rendered = createRenderedResponse(serialized, isCached, compression, () => {
      if (cached.peek(key) === outcome) store();
    });
    const outcome: SendableResponse = { facts, content: { rendered } };
    if (isCached) store();
    return { outcome, isCached };
  };
  return {
    async getOrCompute(key, compute, serialize) {
      const hit = cached.get(key);
      if (hit !== undefined) return { outcome: hit, state: "HIT" };
      const { result, isShared } = await share(key, async () => {
        const { facts, data, isVolatile } = await compute();
        const serialized = isVolatile ? null : await serialize(data, maxBytes);
        return serialized === null ? { outcome: { facts, content: { data } }, isCached: false } : render(key, facts, serialized);
      });
      return { outcome: result.outcome, state: !result.isCached ? "NONE" : isShared ? "SHARED" : "MISS" };
    },
  };
}
