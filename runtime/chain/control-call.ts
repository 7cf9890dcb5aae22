import { type Address, zeroAddress } from "../lib/hex.ts";
import type { RpcError } from "./errors.ts";
import type { CallOutcome, Source } from "./source.ts";

/** Any account without code. */
const target: Address = zeroAddress;
/** Enough for the intrinsic gas of a call. */
const gas = 500_000;

/** The node's error if the call may succeed later; otherwise undefined. */
export const transientErrorOf = (outcome: CallOutcome | undefined): RpcError | undefined =>
  outcome === undefined || outcome.ok ? undefined : outcome.transientError;

/**
 * Calls an account without code at the node's head. If this call fails too, the node fails; otherwise the contracts of the other calls do.
 * @throws {RpcError} if the node currently cannot run calls.
 */
export const verifyNodeRunsCalls = async (source: Pick<Source, "runCalls" | "head">): Promise<void> => {
  const { number } = await source.head();
  const [control] = await source.runCalls([{ to: target, data: "0x", gas }], number);
  const error = transientErrorOf(control);
  if (error !== undefined) throw error;
};
