import type { RpcError } from "./errors.ts";

/** One JSON-RPC 2.0 call. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** The result can also be requested in parts: a response that is too large or too slow is reported as a LimitError instead of being retried. */
  readonly isDivisible?: boolean;
  /**
   * If the node responds to other calls but not to this one, only this call fails, with a NoResponseError; otherwise all calls of the request fail.
   */
  readonly isIsolated?: boolean;
}

/** The result of a call: a value, or the error that the node returned. */
export type RpcResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: RpcError };
