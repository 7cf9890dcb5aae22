import { temporaryErrorOf } from "../../../../chain/control-call.ts";
import type { CallOutcome } from "../../../../chain/source.ts";
import type { Row } from "../../../../indexer/projection.ts";
import type { JobContext } from "../../../../jobs/job.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import { zeroAddress } from "../../../../lib/hex.ts";
import type { ReadCall } from "./calls.ts";
import type { DeclaredRead, DueRead } from "./declared-reads.ts";
import { maxHeights } from "./settings.ts";

/** The reads that are queued under a name. */
export type ReadsByName = (due: DueRead) => readonly DeclaredRead[];

/** The results of the reads of a group, in which those of failed calls are null. */
export interface ReadResult {
  readonly due: DueRead;
  readonly rows: readonly { readonly table: string; readonly row: Row }[];
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
export const readPortion = async (context: JobContext, due: readonly DueRead[], readsOf: ReadsByName): Promise<PortionResult> => {
  const heights = [...groupBy(due, ({ block_number }) => block_number)].sort(([left], [right]) => right - left);
  const results: HeightResult[] = [];
  for (let start = 0; start < heights.length; start += maxHeights) {
    const running = heights.slice(start, start + maxHeights).map(([height, own]) => readAt(context, height, own, readsOf));
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

const readAt = async (context: JobContext, height: number, due: readonly DueRead[], readsOf: ReadsByName): Promise<HeightResult> => {
  const calls = due.flatMap((one) => readsOf(one).flatMap((read) => read.callsOf(one.arguments).map((call) => ({ due: one, read, call }))));
  const outcomes = await context.multicall(
    calls.map(({ due: { contract }, call: { data } }) => ({ to: contract, data })),
    height,
  );
  const ended = calls.map((one, position) => ({ ...one, outcome: outcomes[position] ?? noOutcome }));
  const open = ended.filter(({ outcome }) => !isComplete(outcome));
  const isOpen = new Set(open.map((one) => one.due));
  const results = [...groupBy(ended, (one) => one.due)].map(([one, own]): ReadResult => ({ due: one, rows: own.map(rowOf) }));
  return {
    height,
    completed: results.filter((one) => !isOpen.has(one.due)),
    failed: results.filter((one) => isOpen.has(one.due)),
    lacking: open.some(({ outcome }) => temporaryErrorOf(outcome) === undefined) && !(await hasState(context, height)),
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

/** A revert is a result; a call that the node failed at may succeed later. */
const isComplete = (outcome: CallOutcome): boolean => outcome.ok || outcome.reverted;

/** The blocks whose state the node has. @throws {RpcError} when it cannot run calls at the moment. */
export const blocksWithState = async (context: JobContext, blocks: readonly number[]): Promise<number[]> => {
  const found: number[] = [];
  for (let start = 0; start < blocks.length; start += maxHeights) {
    const portion = blocks.slice(start, start + maxHeights);
    const states = await Promise.all(portion.map((height) => hasState(context, height)));
    found.push(...portion.filter((_, position) => states[position]));
  }
  return found;
};

/** Whether the node runs a call to an account without code at this block. @throws {RpcError} when it cannot run calls at the moment. */
const hasState = async ({ source }: JobContext, height: number): Promise<boolean> => {
  const [control = noOutcome] = await source.calls([{ to: zeroAddress, data: "0x", gas: controlGas }], height);
  const error = temporaryErrorOf(control);
  if (error !== undefined) throw error;
  return isComplete(control);
};
