/** A node's own error in answer to one call. */
export class RpcError extends Error {
  override readonly name: string = "RpcError";
  readonly code: number;
  readonly method: string;

  constructor(method: string, code: number, message: string) {
    super(`The node answered ${method} with error ${code}: ${message}`);
    this.code = code;
    this.method = method;
  }
}

/** One call alone asks for more than the node gives at once: what it asks for can only be had in parts. */
export class LimitError extends RpcError {
  override readonly name = "LimitError";
}

/** The node answers other calls, and fails at this one each time: with a time-out or an HTTP error in place of an answer. */
export class UnansweredError extends RpcError {
  override readonly name = "UnansweredError";
}

/** The node could not be reached, or what came back is not JSON-RPC. Trying again later may help. */
export class TransportError extends Error {
  override readonly name = "TransportError";
}

/** The node's parts of a block do not fit each other, or are not there. Nothing of such a reply is used. */
export class BadReplyError extends Error {
  override readonly name = "BadReplyError";
}

/** The block before another one is not the one that the node told before. */
export class BrokenChainError extends Error {
  override readonly name = "BrokenChainError";
}
