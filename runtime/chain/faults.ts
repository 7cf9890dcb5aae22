/**
 * What a failed request asks for: `size` a smaller one, `rate` fewer of them, `passing` another try, `final` nothing that this process can do.
 * `down` is a node that was not reached at all: its limits are not the reason.
 */
export type FaultKind = "size" | "rate" | "passing" | "down" | "final";

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

/** By which nodes and the gateways before them say "less often". */
const rateCodes = new Set([429, -32029, -32007]);
const rateWords =
  /too many requests|rate.?limit|request (?:rate|count)|throttl|per (?:second|minute|hour|day|month)|daily|monthly|quota|credits?\b|compute units|capacity exceeded|slow down/i;

/** By which they say "less at once": words, as the codes (-32600, -32602, -32003, -32005, -32000) differ from node to node. */
const sizeWords =
  /too (?:large|big|many|long)|(?:batch|response|request|payload|body|content|result|block range|query)\b.{0,40}\b(?:limit|exceed|maximum)|(?:limit|exceed|maximum)\w*\b.{0,40}\b(?:batch|response|request|payload|body|content|results?|block range|query)\b|more than \d+ (?:results|calls|requests|items|logs)|time(?:d)? ?-?out|deadline exceeded/i;
const resultWords = /results?\b|batch|block range|response|too (?:large|big|long)/i;
/** A contract's own words may be anything. */
const execution = /^execution |revert|out of gas|gas required/i;
const limitExceeded = -32005;

/** What an error object of JSON-RPC asks for; null where it is an answer to the call. */
export const faultOfError = (code: number, message: string): "size" | "rate" | null => {
  if (code === 3 || execution.test(message)) return null;
  if (rateCodes.has(code) || rateWords.test(message)) return "rate";
  // EIP-1474's "limit exceeded" is one of rate unless it speaks of results or batches.
  if (code === limitExceeded) return resultWords.test(message) ? "size" : "rate";
  return sizeWords.test(message) ? "size" : null;
};

/** What an HTTP status without a JSON-RPC body asks for. */
export const faultOfStatus = (status: number): FaultKind => {
  if (status === 413 || status === 408 || status === 504 || status === 414 || status === 431) return "size";
  if (status === 429) return "rate";
  // A body that is cut off may have been too long.
  if (status === 200) return "size";
  return status >= 500 ? "passing" : "final";
};
