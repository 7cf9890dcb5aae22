import type { ServerResponse } from "node:http";
import type { Operation } from "../../../generated/operations.gen.ts";
import type { RequestAnchor } from "../request-anchor.ts";
import { recordOf } from "../request-record.ts";
import { serialize } from "../send-response.ts";
import { cacheKey } from "./cache-key.ts";
import type { CacheState, ComputedResponse, ResponseCache, SendableResponse } from "./response-cache.ts";

export interface FindDeps {
  /** Null if nothing is cached. */
  readonly cache: ResponseCache | null;
  readonly responseBytes: number;
  readonly now: () => Date;
}

/** The parts of a request that identify its response. */
export interface FindRequest {
  readonly operation: Operation;
  readonly parsed: unknown;
  /** The URL of this server. */
  readonly base: string;
  readonly requestAnchor: RequestAnchor;
  readonly format: "json" | "csv";
}

/** Returns the cached response to a request, or computes it once for all concurrent requests for it. Sets X-Cache. */
export async function findResponse(
  { cache, responseBytes, now }: FindDeps,
  response: ServerResponse,
  { operation, parsed, base, requestAnchor, format }: FindRequest,
  compute: () => Promise<ComputedResponse>,
): Promise<SendableResponse> {
  const report = (state: CacheState): void => {
    recordOf(response).cache = state;
    response.setHeader("X-Cache", state);
  };
  const key = cache === null ? null : cacheKey(operation, parsed, base, requestAnchor, now());
  if (cache === null || key === null) {
    const { facts, data } = await compute();
    if (cache !== null) report("NONE");
    return { facts, content: { data } };
  }
  const { outcome, state } = await cache.getOrCompute(key, compute, (data, maxBytes) =>
    serialize(operation, data, format, responseBytes, maxBytes),
  );
  report(state);
  return outcome;
}
