import type { RpcError } from "./errors.ts";

/** One call of JSON-RPC 2.0. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** What it asks for can be had in parts: when it is too much for one reply, or too slow, that is told as a LimitError instead of being tried on. */
  readonly divisible?: boolean;
  /** Where the node answers other calls and not this one, this call alone fails, with an UnansweredError; without it, the whole of what was asked for does. */
  readonly isolated?: boolean;
}

/** Its answer: a value, or the node's own error. */
export type RpcResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: RpcError };
