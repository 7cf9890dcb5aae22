import { groupBy } from "../lib/group-by.ts";
import { UnansweredError } from "./errors.ts";
import type { CallOutcome, ReadOnlyCall, Source } from "./source.ts";

/** Calls of a contract that are sent before its others. */
const maxProbes = 3;

interface IndexedCall {
  readonly call: ReadOnlyCall;
  readonly position: number;
}

/** Whether the node responds, but not to this call. */
export const isUnanswered = (outcome: CallOutcome | undefined): boolean =>
  outcome !== undefined && !outcome.ok && outcome.transient instanceof UnansweredError;

/**
 * The outcomes of read-only calls after a block, in order. Of each contract a few calls are sent first; where the node answers none of them, the others are
 * not sent and share the outcome, because each of them may take as long as a timeout.
 */
export const callContracts = async (
  source: Pick<Source, "calls">,
  calls: readonly ReadOnlyCall[],
  height: number,
): Promise<CallOutcome[]> => {
  const outcomes: CallOutcome[] = [];
  const send = async (placed: readonly IndexedCall[]): Promise<void> => {
    // An empty batch would still be a request.
    if (placed.length === 0) return;
    const results = await source.calls(
      placed.map(({ call }) => call),
      height,
    );
    for (const [index, { position }] of placed.entries()) outcomes[position] = results[index] ?? { ok: false, reverted: false };
  };
  const byContract = groupBy(
    calls.map((call, position): IndexedCall => ({ call, position })),
    ({ call }) => call.to,
  );
  const groups = [...byContract.values()].map((group) => ({ probes: group.slice(0, maxProbes), others: group.slice(maxProbes) }));
  await send(groups.flatMap(({ probes }) => probes));
  const open: IndexedCall[] = [];
  for (const { probes, others } of groups) {
    const results = probes.map(({ position }) => outcomes[position]);
    const [shared] = results;
    if (shared === undefined || !results.every(isUnanswered)) open.push(...others);
    else for (const { position } of others) outcomes[position] = shared;
  }
  await send(open);
  return outcomes;
};
