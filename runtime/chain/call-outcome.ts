import type { Hex } from "../lib/hex.ts";
import { LimitError, type RpcError, UnansweredError } from "./errors.ts";
import { data } from "./quantities.ts";
import type { RpcResult } from "./rpc.ts";

/**
 * The outcome of a read-only contract call. `reverted` distinguishes a revert from a node that cannot run the call; `transient` is the node's error where the
 * same call may succeed later.
 */
export type CallOutcome =
  | { readonly ok: true; readonly data: Hex }
  | { readonly ok: false; readonly reverted: boolean; readonly transient?: RpcError };

/** The outcome of a call. Code 3 is a revert (nodes extend EIP-1474's list by it); older nodes report it in the message only. */
export const outcomeOf = (result: RpcResult): CallOutcome => {
  if (result.ok) return { ok: true, data: data({ result: result.value }, "result") };
  const { error } = result;
  if (isReverted(error.code, error.message)) return { ok: false, reverted: true };
  const isTransient =
    error instanceof UnansweredError || (!isDefinite(error) && (isTransientFailure(error) || lagging.test(error.message)));
  return { ok: false, reverted: false, ...(isTransient ? { transient: error } : {}) };
};

/** The node lacks the method or the state, whatever the code: the same call will not succeed later. */
const isDefinite = ({ code, message }: RpcError): boolean => undefinedMethods.has(code) || missing.test(message);

/** "Method not found" of JSON-RPC 2.0, section 5.1, and "method not supported" of EIP-1474. */
const undefinedMethods = new Set([-32601, -32004]);

const missing = /missing trie node|prun|archive|state\b.*\b(?:not |un)available|(?:not |un)supported|not implemented/i;

const isReverted = (code: number, message: string): boolean => code === 3 || failedExecution.test(message);

const failedExecution =
  /revert|out ?of ?gas|gas required exceeds|invalid ?\w* ?opcode|invalid jump|stack ?(under|over)flow|evm error|vm execution error/i;

/** Whether an error is an error of the node, neither a revert nor missing state. */
export const isTransientFailure = (error: RpcError): boolean =>
  !(error instanceof UnansweredError) &&
  (error instanceof LimitError ||
    (!isReverted(error.code, error.message) &&
      (error.code === internalError || /internal|temporar|try again|overload|busy|upstream|connection/i.test(error.message))));

/** Messages of a node that does not know a block yet which another node behind the same gateway returned. */
export const lagging = /\b(?:header|block|resource) (?:is )?not (?:found|known)|unknown block/i;

/** JSON-RPC 2.0, section 5.1. */
const internalError = -32603;
