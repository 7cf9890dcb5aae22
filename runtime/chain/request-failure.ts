/**
 * Why a request failed. After `size`, a smaller request is sent; after `rate`, requests are sent at a lower rate; after `transient`, the same request
 * is sent again; `final` is not retried. `down` means that the node could not be reached, so its limits are not the reason.
 */
export type FailureKind = "size" | "rate" | "transient" | "down" | "final";

/** A request that failed as a whole. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";
  readonly kind: FailureKind;
  readonly retryAfterMilliseconds: number | null;

  constructor(kind: FailureKind, message: string, retryAfterMilliseconds: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterMilliseconds = retryAfterMilliseconds;
  }
}

/** Error codes that nodes and gateways use for rate limits. */
const rateCodes = new Set([429, -32029, -32007]);
const ratePattern =
  /too many requests|rate.?limit|request (?:rate|count)|throttl|per (?:second|minute|hour|day|month)|daily|monthly|quota|credits?\b|compute units|capacity exceeded|slow down/i;

/** Messages about size limits; their codes (-32600, -32602, -32003, -32005, -32000) differ from node to node. */
const sizePattern =
  /too (?:large|big|many|long)|(?:batch|response|request|payload|body|content|result|block range|query)\b.{0,40}\b(?:limit|exceed|maximum)|(?:limit|exceed|maximum)\w*\b.{0,40}\b(?:batch|response|request|payload|body|content|results?|block range|query)\b|more than \d+ (?:results|calls|requests|items|logs)|time(?:d)? ?-?out|deadline exceeded/i;
const resultPattern = /results?\b|batch|block range|response|too (?:large|big|long)/i;
/** A revert's message may contain any text. */
const executionPattern = /^execution |revert|out of gas|gas required/i;
const limitExceeded = -32005;

/** The limit that a JSON-RPC error object reports; null if the error is the call's result. */
export const limitOfError = (code: number, message: string): "size" | "rate" | null => {
  if (code === 3 || executionPattern.test(message)) return null;
  if (rateCodes.has(code) || ratePattern.test(message)) return "rate";
  // EIP-1474's "limit exceeded" is a rate limit unless its message mentions results or batches.
  if (code === limitExceeded) return resultPattern.test(message) ? "size" : "rate";
  return sizePattern.test(message) ? "size" : null;
};

/** The kind of failure that an HTTP status without a JSON-RPC body indicates. */
export const failureKindOfStatus = (status: number): FailureKind => {
  if (status === 413 || status === 408 || status === 504 || status === 414 || status === 431) return "size";
  if (status === 429) return "rate";
  // A truncated body may have been too long.
  if (status === 200) return "size";
  return status >= 500 ? "transient" : "final";
};
