import { BadReplyError, BrokenChainError, RpcError, TransportError } from "../../chain/errors.ts";
import { DatabaseUnavailable } from "../../database/errors.ts";
import { backoff, sleep } from "../../lib/async.ts";
import { LeadershipLostError } from "../leader/leader.ts";
import { CheckpointMovedError } from "../storage/checkpoints.ts";

const maxPause = 30_000;

export interface Persistence {
  readonly chain: string;
  readonly logger: { warn(message: string): void };
  readonly signal: AbortSignal;
  /** Where the work stands: a failure after some progress is a first one again. */
  readonly place: () => number;
}

/** Works again and again until the signal: failures that may pass by themselves are tried again, at growing distances; others are thrown. */
export const untilStopped = async (work: () => Promise<void>, { chain, logger, signal, place }: Persistence): Promise<void> => {
  for (let failures = 0; !signal.aborted; ) {
    const before = place();
    try {
      await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      failures = place() > before ? 1 : failures + 1;
      logger.warn(`${chain}: ${error.message} Trying again.`);
      await sleep(backoff(failures, { base: 200, max: maxPause }), signal);
    }
  }
};

/** SQLSTATE classes of what may pass by itself: connection, resources, operator's stop, serialisation (PostgreSQL, appendix A). */
const passingStates = /^(08|53|57|40)/;

const passingKinds = [
  TransportError,
  BadReplyError,
  BrokenChainError,
  RpcError,
  DatabaseUnavailable,
  CheckpointMovedError,
  LeadershipLostError,
] as const;

const isPassing = (error: unknown): error is Error => {
  if (!(error instanceof Error)) return false;
  return passingKinds.some((kind) => error instanceof kind) || passingStates.test(String((error as { code?: unknown }).code));
};
