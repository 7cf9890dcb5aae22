import { temporaryErrorOf } from "../../../../chain/control-call.ts";
import type { CallOutcome } from "../../../../chain/source.ts";
import type { Row } from "../../../../indexer/projection.ts";
import type { JobContext } from "../../../../jobs/job.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import { zeroAddress } from "../../../../lib/hex.ts";
import type { DeclaredRead, DueRead } from "./declared-reads.ts";
import { maxHeights } from "./settings.ts";

export type ReadsByName = (due: DueRead) => DeclaredRead;

/** The result of calling contracts. */
export interface PortionResult {
  /** Reads whose call returned or reverted, with the columns of their rows. */
  readonly completed: readonly { readonly due: DueRead; readonly columns: Row }[];
  /** Reads that failed because of their contract: the node runs other calls at that block. */
  readonly failed: readonly DueRead[];
  /** Reads at blocks whose state the node lacks although it offers archive state. */
  readonly withoutState: readonly DueRead[];
  /** The highest block whose state a node without archive state lacks; null if it has the state of all of them. */
  readonly lacking: number | null;
}

/** Enough for the intrinsic gas of a call. */
const controlGas = 500_000;

/**
 * Calls contracts at exactly the blocks of the reads, the highest first. Where the node lacks the state of a block, it lacks that of lower ones too unless it
 * keeps all of it: the lower ones are not called then. @throws {RpcError} the node's error, when it cannot run calls at the moment.
 */
export const readPortion = async (context: JobContext, due: readonly DueRead[], readOf: ReadsByName): Promise<PortionResult> => {
  const heights = [...groupBy(due, ({ block_number }) => block_number)].sort(([left], [right]) => right - left);
  const results: HeightResult[] = [];
  for (let start = 0; start < heights.length; start += maxHeights) {
    const running = heights.slice(start, start + maxHeights).map(([height, own]) => readAt(context, height, own, readOf));
    results.push(...(await Promise.all(running)));
    if (results.some(({ lacking }) => lacking) && !context.source.capabilities.archiveState) break;
  }
  const isPruned = !context.source.capabilities.archiveState;
  const lacking = results.filter((result) => result.lacking);
  return {
    completed: results.flatMap(({ completed }) => completed),
    failed: results.flatMap((result) => (result.lacking ? [] : result.failed)),
    withoutState: isPruned ? [] : lacking.flatMap(({ failed }) => failed),
    lacking: isPruned && lacking.length > 0 ? Math.max(...lacking.map(({ height }) => height)) : null,
  };
};

interface HeightResult extends Pick<PortionResult, "completed" | "failed"> {
  readonly height: number;
  readonly lacking: boolean;
}

const readAt = async (context: JobContext, height: number, due: readonly DueRead[], readOf: ReadsByName): Promise<HeightResult> => {
  const calls = due.map((one) => ({ to: one.contract, data: readOf(one).data }));
  const outcomes = await context.multicall(calls, height);
  const results = due.map((one, position) => ({ due: one, outcome: outcomes[position] ?? noOutcome }));
  const open = results.filter(({ outcome }) => !isComplete(outcome));
  return {
    height,
    completed: results.flatMap(({ due: one, outcome }) =>
      isComplete(outcome) ? [{ due: one, columns: readOf(one).columnsOf(outcome) }] : [],
    ),
    failed: open.map(({ due: one }) => one),
    lacking: open.some(({ outcome }) => temporaryErrorOf(outcome) === undefined) && !(await hasState(context, height)),
  };
};

const noOutcome: CallOutcome = { ok: false, reverted: false };

/** A revert is a result; a call that the node failed at may succeed later. */
const isComplete = (outcome: CallOutcome): boolean => outcome.ok || outcome.reverted;

/** Whether the node runs a call to an account without code at this block. @throws {RpcError} when it cannot run calls at the moment. */
const hasState = async ({ source }: JobContext, height: number): Promise<boolean> => {
  const [control = noOutcome] = await source.calls([{ to: zeroAddress, data: "0x", gas: controlGas }], height);
  const error = temporaryErrorOf(control);
  if (error !== undefined) throw error;
  return isComplete(control);
};
