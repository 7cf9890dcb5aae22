import { transientErrorOf } from "../../../../chain/control-call.ts";
import type { CallOutcome } from "../../../../chain/source.ts";
import type { Row } from "../../../../indexer/projection.ts";
import type { JobContext } from "../../../../jobs/job.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import { zeroAddress } from "../../../../lib/hex.ts";
import type { ReadCall } from "./compile-read.ts";
import type { DeclaredRead, DueRead } from "./declared-reads.ts";
import { maxConcurrentHeights } from "./settings.ts";

/** Returns the declared reads of the group that a queued read represents. */
export type ReadsOf = (due: DueRead) => readonly DeclaredRead[];

/** A read group's results; the columns of failed calls are null. */
export interface ReadResult {
  readonly due: DueRead;
  readonly rows: readonly { readonly table: string; readonly row: Row }[];
}

/** The result of calling contracts. */
export interface PortionResult {
  /** Reads whose calls returned or reverted. */
  readonly completed: readonly ReadResult[];
  /** Reads for which the contract failed, not the node: the node runs other calls at that block. */
  readonly failed: readonly ReadResult[];
  /** Reads at blocks whose state the node lacks although it offers archive state. */
  readonly withoutState: readonly DueRead[];
  /** The highest block whose state a node without archive state lacks; null if it has all states. */
  readonly highestWithoutState: number | null;
}

/** Enough for a call's intrinsic gas. */
const controlGas = 500_000;

/**
 * Calls contracts at exactly the reads' blocks, highest first. If a node without archive state lacks the state of a block, it also lacks the
 * state of lower blocks, which are skipped. @throws {RpcError} if the node temporarily cannot run calls.
 */
export const readPortion = async (context: JobContext, due: readonly DueRead[], readsOf: ReadsOf): Promise<PortionResult> => {
  const heights = [...groupBy(due, ({ block_number }) => block_number)].sort(([left], [right]) => right - left);
  const results: HeightResult[] = [];
  for (let start = 0; start < heights.length; start += maxConcurrentHeights) {
    const running = heights.slice(start, start + maxConcurrentHeights).map(([height, reads]) => readAt(context, height, reads, readsOf));
    results.push(...(await Promise.all(running)));
    if (results.some(({ lacksState }) => lacksState) && !context.source.capabilities.hasArchiveState) break;
  }
  const isPruned = !context.source.capabilities.hasArchiveState;
  const withoutState = results.filter(({ lacksState }) => lacksState);
  return {
    completed: results.flatMap(({ completed }) => completed),
    failed: results.flatMap(({ lacksState, failed }) => (lacksState ? [] : failed)),
    withoutState: isPruned ? [] : withoutState.flatMap(({ failed }) => failed.map((result) => result.due)),
    highestWithoutState: isPruned && withoutState.length > 0 ? Math.max(...withoutState.map(({ height }) => height)) : null,
  };
};

interface HeightResult extends Pick<PortionResult, "completed" | "failed"> {
  readonly height: number;
  readonly lacksState: boolean;
}

const readAt = async (context: JobContext, height: number, due: readonly DueRead[], readsOf: ReadsOf): Promise<HeightResult> => {
  const calls = due.flatMap((entry) =>
    readsOf(entry).flatMap((read) => read.callsOf(entry.arguments).map((call) => ({ due: entry, read, call }))),
  );
  const outcomes = await context.multicall(
    calls.map(({ due: { contract }, call: { data } }) => ({ to: contract, data })),
    height,
  );
  const ended = calls.map((call, position) => ({ ...call, outcome: outcomes[position] ?? noOutcome }));
  const failedCalls = ended.filter(({ outcome }) => !isComplete(outcome));
  const failedReads = new Set(failedCalls.map((call) => call.due));
  const results = [...groupBy(ended, (call) => call.due)].map(
    ([entry, entryCalls]): ReadResult => ({ due: entry, rows: entryCalls.map(rowOf) }),
  );
  return {
    height,
    completed: results.filter((result) => !failedReads.has(result.due)),
    failed: results.filter((result) => failedReads.has(result.due)),
    lacksState: failedCalls.some(({ outcome }) => transientErrorOf(outcome) === undefined) && !(await hasState(context, height)),
  };
};

interface EndedCall {
  readonly due: DueRead;
  readonly read: DeclaredRead;
  readonly call: ReadCall;
  readonly outcome: CallOutcome;
}

const rowOf = ({ due: { contract, block_number }, read, call, outcome }: EndedCall): ReadResult["rows"][number] => ({
  table: read.table.name,
  row: { contract, block_number, ...call.arguments, ...read.columnsOf(outcome) },
});

const noOutcome: CallOutcome = { ok: false, reverted: false };

/** A revert is a result; a call that the node failed to execute may succeed later. */
const isComplete = (outcome: CallOutcome): boolean => outcome.ok || outcome.reverted;

/** The blocks for which the node has state. @throws {RpcError} if the node temporarily cannot run calls. */
export const blocksWithState = async (context: JobContext, blocks: readonly number[]): Promise<number[]> => {
  const found: number[] = [];
  for (let start = 0; start < blocks.length; start += maxConcurrentHeights) {
    const portion = blocks.slice(start, start + maxConcurrentHeights);
    const states = await Promise.all(portion.map((height) => hasState(context, height)));
    found.push(...portion.filter((_, position) => states[position]));
  }
  return found;
};

/** Whether the node runs a call to an account without code at this block. @throws {RpcError} if the node temporarily cannot run calls. */
const hasState = async ({ source }: JobContext, height: number): Promise<boolean> => {
  const [control = noOutcome] = await source.runCalls([{ to: zeroAddress, data: "0x", gas: controlGas }], height);
  const error = transientErrorOf(control);
  if (error !== undefined) throw error;
  return isComplete(control);
};
