import type { Operation } from "../../generated/operations.gen.ts";
import { type ChargedQuantities, costOf } from "./credits.ts";
import { successEnvelope } from "./envelope.ts";
import { errorDuringRebuild, hasMorePages, type ReadScope, type RequestAnchor } from "./request-anchor.ts";
import type { ComputedResponse } from "./response-cache/response-cache.ts";
import type { Validation } from "./validation/validation.ts";

/** The parts of a request that its resolver's context is built from. */
export interface RequestScope extends ReadScope {
  readonly operation: Operation;
  /** The request's chain; null if it reads all chains, or none. */
  readonly chainId: number | null;
  /** The time of the last change to the index. */
  readonly contentTime: () => Date;
  /** The current time. Responses may depend on its UTC day only. */
  readonly currentTime: () => Date;
  /** The absolute URL for a path on this server, without a query string. */
  readonly absoluteUrl: (path: string) => string;
  /** Pins the later pages of the list to an earlier block than the anchor. */
  readonly pinAnchor: (block: number) => void;
  /** Quantities for the cost that the response does not contain; the resolver sets them. */
  readonly chargedQuantities: ChargedQuantities;
  /** Marks the response as one that depends on more than the index and the day, so that it is not cached. */
  readonly markVolatile: () => void;
}

export interface ComputeDeps<Context> {
  readonly createContext: (scope: RequestScope) => Context;
  readonly validation: Pick<Validation, "checkResponse">;
  readonly now: () => Date;
}

/** The parts of a request that its response is computed from, in addition to its parameters. */
export interface ComputeRequest {
  readonly operation: Operation;
  readonly chainId: number | null;
  /** This server's URL. */
  readonly base: string;
  readonly requestAnchor: RequestAnchor;
  /** Days that the response covers, for a cost per 30 days. */
  readonly days: number;
  readonly requestId: string;
}

/** Runs a resolver, and derives its response's cost. */
export async function computeResponse<Context>(
  deps: ComputeDeps<Context>,
  { operation, chainId, base, requestAnchor, days, requestId }: ComputeRequest,
  resolve: (context: Context) => Promise<unknown>,
): Promise<ComputedResponse> {
  const { content } = requestAnchor;
  const chargedQuantities: ChargedQuantities = { blockCount: 1, extraHundredths: 0 };
  let isVolatile = false;
  const scope: RequestScope = {
    ...requestAnchor.scope,
    operation,
    chainId,
    contentTime: () => content?.changedAt ?? deps.now(),
    currentTime: deps.now,
    absoluteUrl: (path) => base + path,
    pinAnchor: requestAnchor.pin,
    chargedQuantities,
    markVolatile() {
      isVolatile = true;
    },
  };
  let data: unknown;
  try {
    data = await resolve(deps.createContext(scope));
  } catch (error) {
    throw errorDuringRebuild(scope, error);
  }
  const check = deps.validation.checkResponse({ operation, requestId, status: 200, body: successEnvelope(data) });
  if (check !== undefined) await check;
  const facts = {
    costHundredths: costOf(operation, data, days, chargedQuantities),
    hasMore: hasMorePages(data),
    pinnedBlock: requestAnchor.pinnedBlock(),
  };
  return { facts, data, isVolatile };
}
