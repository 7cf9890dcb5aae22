/**
 * How to react to a failed request: `size` with a smaller one, `rate` with fewer of them, `transient` with another attempt, `final` not at all.
 * `down` means that the node could not be reached: its limits are not the reason.
 */
export type FaultKind = "size" | "rate" | "transient" | "down" | "final";

/** A request that failed as a whole. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly kind: FaultKind;
  readonly retryAfterMilliseconds: number | null;

  constructor(kind: FaultKind, message: string, retryAfterMilliseconds: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterMilliseconds = retryAfterMilliseconds;
  }
}

/** Error codes of rate limits, as nodes and gateways use them. */
const rateCodes = new Set([429, -32029, -32007]);
const rateWords =
  /too many requests|rate.?limit|request (?:rate|count)|throttl|per (?:second|minute|hour|day|month)|daily|monthly|quota|credits?\b|compute units|capacity exceeded|slow down/i;

/** Messages of size limits; their codes (-32600, -32602, -32003, -32005, -32000) differ from node to node. */
const sizeWords =
  /too (?:large|big|many|long)|(?:batch|response|request|payload|body|content|result|block range|query)\b.{0,40}\b(?:limit|exceed|maximum)|(?:limit|exceed|maximum)\w*\b.{0,40}\b(?:batch|response|request|payload|body|content|results?|block range|query)\b|more than \d+ (?:results|calls|requests|items|logs)|time(?:d)? ?-?out|deadline exceeded/i;
const resultWords = /results?\b|batch|block range|response|too (?:large|big|long)/i;
/** A revert's message may contain any text. */
const execution = /^execution |revert|out of gas|gas required/i;
const limitExceeded = -32005;

/** The limit that a JSON-RPC error object reports; null where the error is the result of the call. */
export const faultOfError = (code: number, message: string): "size" | "rate" | null => {
  if (code === 3 || execution.test(message)) return null;
  if (rateCodes.has(code) || rateWords.test(message)) return "rate";
  // EIP-1474's "limit exceeded" is a rate limit unless its message mentions results or batches.
  if (code === limitExceeded) return resultWords.test(message) ? "size" : "rate";
  return sizeWords.test(message) ? "size" : null;
};

/** The kind of fault of an HTTP status without a JSON-RPC body. */
export const faultOfStatus = (status: number): FaultKind => {
  if (status === 413 || status === 408 || status === 504 || status === 414 || status === 431) return "size";
  if (status === 429) return "rate";
  // A truncated body may have been too long.
  if (status === 200) return "size";
  return status >= 500 ? "transient" : "final";
};
