import { temporaryErrorOf } from "../../../../chain/control-call.ts";
import type { CallOutcome } from "../../../../chain/source.ts";
import type { Row } from "../../../../indexer/projection.ts";
import type { JobContext } from "../../../../jobs/job.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import { zeroAddress } from "../../../../lib/hex.ts";
import type { ReadCall } from "./calls.ts";
import type { DeclaredRead, DueRead } from "./declared-reads.ts";
import { maxHeights } from "./settings.ts";

export type ReadsByName = (due: DueRead) => DeclaredRead;

/** A read and the rows of its results, in which the results of failed calls are null. */
export interface ReadResult {
  readonly due: DueRead;
  readonly rows: readonly Row[];
}

/** The result of calling contracts. */
export interface PortionResult {
  /** Reads whose calls returned or reverted. */
  readonly completed: readonly ReadResult[];
  /** Reads that failed because of their contract: the node runs other calls at that block. */
  readonly failed: readonly ReadResult[];
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
    withoutState: isPruned ? [] : lacking.flatMap(({ failed }) => failed.map(({ due: one }) => one)),
    lacking: isPruned && lacking.length > 0 ? Math.max(...lacking.map(({ height }) => height)) : null,
  };
};

interface HeightResult extends Pick<PortionResult, "completed" | "failed"> {
  readonly height: number;
  readonly lacking: boolean;
}

const readAt = async (context: JobContext, height: number, due: readonly DueRead[], readOf: ReadsByName): Promise<HeightResult> => {
  const calls = due.flatMap((one) =>
    readOf(one)
      .callsOf(one.arguments)
      .map((call) => ({ due: one, call })),
  );
  const outcomes = await context.multicall(
    calls.map(({ due: { contract }, call: { data } }) => ({ to: contract, data })),
    height,
  );
  const ended = calls.map((one, position) => ({ ...one, outcome: outcomes[position] ?? noOutcome }));
  const open = ended.filter(({ outcome }) => !isComplete(outcome));
  const isOpen = new Set(open.map((one) => one.due));
  const results = [...groupBy(ended, (one) => one.due)].map(([one, own]): ReadResult => ({ due: one, rows: own.map(rowOf(readOf(one))) }));
  return {
    height,
    completed: results.filter((one) => !isOpen.has(one.due)),
    failed: results.filter((one) => isOpen.has(one.due)),
    lacking: open.some(({ outcome }) => temporaryErrorOf(outcome) === undefined) && !(await hasState(context, height)),
  };
};

const rowOf =
  ({ columnsOf }: DeclaredRead) =>
  ({ due, call, outcome }: { readonly due: DueRead; readonly call: ReadCall; readonly outcome: CallOutcome }): Row => ({
    contract: due.contract,
    block_number: due.block_number,
    ...call.arguments,
    ...columnsOf(outcome),
  });

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
