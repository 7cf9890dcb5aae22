/** The failure of one call: the error object that the node returned, or code 0 if it returned none. */
export class RpcError extends Error {
  override readonly name: string = "RpcError";
  readonly code: number;
  readonly method: string;

  constructor(method: string, code: number, message: string) {
    super(code === 0 ? `Request ${method} failed at the node: ${message}` : `The node returned error ${code} for ${method}: ${message}`);
    this.code = code;
    this.method = method;
  }
}

/** The result of one call exceeds the node's limits: it can only be requested in parts. */
export class LimitError extends RpcError {
  override readonly name = "LimitError";
}

/** The node responds to other calls, but fails this one each time, with a timeout or an HTTP error. */
export class NoResponseError extends RpcError {
  override readonly name = "NoResponseError";
}

/** The node could not be reached, or its response is not JSON-RPC. A later attempt may succeed. */
export class TransportError extends Error {
  override readonly name = "TransportError";
}

/** The parts of a block that the node returned are inconsistent or missing. The response is discarded. */
export class InvalidResponseError extends Error {
  override readonly name = "InvalidResponseError";
}

/** A block's parent is not the previous block that the node returned. */
export class BrokenChainError extends Error {
  override readonly name = "BrokenChainError";
}
