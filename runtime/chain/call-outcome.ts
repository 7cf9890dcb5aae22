import type { Hex } from "../lib/hex.ts";
import { LimitError, NoResponseError, type RpcError } from "./errors.ts";
import { readData } from "./quantities.ts";
import type { RpcResult } from "./rpc.ts";

/**
 * The outcome of a read-only contract call. `reverted` distinguishes a revert from a node failure; `transientError` is the node's error if the same call
 * may succeed later.
 */
export type CallOutcome =
  | { readonly ok: true; readonly data: Hex }
  | { readonly ok: false; readonly reverted: boolean; readonly transientError?: RpcError };

/** Classifies a call's result. Error code 3 means a revert (an extension of EIP-1474); older nodes only report a revert in the message. */
export const outcomeOf = (result: RpcResult): CallOutcome => {
  if (result.ok) return { ok: true, data: readData({ result: result.value }, "result") };
  const { error } = result;
  if (isReverted(error.code, error.message)) return { ok: false, reverted: true };
  const isTransient =
    error instanceof NoResponseError || (!isPermanent(error) && (isTransientFailure(error) || laggingPattern.test(error.message)));
  return { ok: false, reverted: false, ...(isTransient ? { transientError: error } : {}) };
};

/** Whether the node lacks the method or the state: the same call will not succeed later. */
const isPermanent = ({ code, message }: RpcError): boolean => undefinedMethods.has(code) || missingStatePattern.test(message);

/** "Method not found" of JSON-RPC 2.0, section 5.1, and "method not supported" of EIP-1474. */
const undefinedMethods = new Set([-32601, -32004]);

const missingStatePattern = /missing trie node|prun|archive|state\b.*\b(?:not |un)available|(?:not |un)supported|not implemented/i;

const isReverted = (code: number, message: string): boolean => code === 3 || failedExecutionPattern.test(message);

const failedExecutionPattern =
  /revert|out ?of ?gas|gas required exceeds|invalid ?\w* ?opcode|invalid jump|stack ?(under|over)flow|evm error|vm execution error/i;

/** Whether an error is a temporary node failure, neither a revert nor missing state. */
export const isTransientFailure = (error: RpcError): boolean =>
  !(error instanceof NoResponseError) &&
  (error instanceof LimitError ||
    (!isReverted(error.code, error.message) &&
      (error.code === internalError || /internal|temporar|try again|overload|busy|upstream|connection/i.test(error.message))));

/** Messages from a node that does not have a block yet, although another node behind the same gateway has already returned it. */
export const laggingPattern = /\b(?:header|block|resource) (?:is )?not (?:found|known)|unknown block/i;

/** JSON-RPC 2.0, section 5.1. */
const internalError = -32603;
