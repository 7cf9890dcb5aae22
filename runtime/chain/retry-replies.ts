import { backoff, retry, sleep } from "../lib/async.ts";
import { isTransientFailure } from "./call-outcome.ts";
import { BadReplyError, RpcError } from "./errors.ts";
import type { Rpc, RpcCall, RpcResult } from "./rpc.ts";

/** The attempts to fetch replies, and the waits between them. */
export interface ReplyRetryOptions {
  /** Attempts for a reply that is inconsistent, as happens while a node imports a block. */
  readonly tries?: number;
  readonly waitMilliseconds?: number;
  readonly onBadReply?: (reason: string) => void;
}

/** At the head a node may need some milliseconds until all parts of a block are available; the waits add up to 1.2 seconds. */
const defaultTries = 6;
const defaultWait = 40;
const maxWaitMilliseconds = 10_000;

/** Whether the same requests may return a valid reply later. */
export const isTransient = (error: unknown): error is Error => error instanceof BadReplyError || error instanceof RpcError;

/** Fetches until the replies are consistent. @throws the last error. */
export const untilConsistent = <T>(
  work: () => Promise<T>,
  { tries = defaultTries, waitMilliseconds = defaultWait, onBadReply }: ReplyRetryOptions,
): Promise<T> =>
  retry(work, {
    attempts: tries,
    base: waitMilliseconds,
    max: maxWaitMilliseconds,
    isRetryable: isTransient,
    onRetry: (error) => onBadReply?.(error.message),
  });

/** The results of state reads. Reads that failed for a temporary reason are repeated. */
export const settleWithRetries = async <T>(
  rpc: Rpc,
  calls: readonly RpcCall[],
  { tries = defaultTries, waitMilliseconds = defaultWait }: ReplyRetryOptions,
  read: (result: RpcResult) => T,
  passes: (error: RpcError) => boolean = isTransientFailure,
): Promise<T[]> => {
  const results = await rpc.settle(calls);
  for (let attempt = 1; attempt < tries; attempt += 1) {
    const open = results.flatMap((result, position) => (!result.ok && passes(result.error) ? [position] : []));
    if (open.length === 0) break;
    await sleep(backoff(attempt, { base: waitMilliseconds, max: maxWaitMilliseconds }));
    const again = await rpc.settle(open.flatMap((position) => calls[position] ?? []));
    for (const [index, position] of open.entries()) results[position] = again[index] ?? (results[position] as RpcResult);
  }
  return results.map(read);
};
