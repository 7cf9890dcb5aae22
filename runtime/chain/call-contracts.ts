import { groupBy } from "../lib/group-by.ts";
import { NoResponseError } from "./errors.ts";
import type { CallOutcome, ReadOnlyCall, Source } from "./source.ts";

/** Max calls to each contract that are sent first, to determine whether the node responds to them. */
const maxProbes = 3;

interface IndexedCall {
  readonly call: ReadOnlyCall;
  readonly position: number;
}

/** Whether the node failed to respond to this call, although it responds to others. */
export const hasNoResponse = (outcome: CallOutcome | undefined): boolean =>
  outcome !== undefined && !outcome.ok && outcome.transientError instanceof NoResponseError;

/**
 * Returns the outcomes of read-only calls after a block, in order. A few calls per contract are sent first. If the node does not respond to any of them, the
 * contract's other calls are not sent and fail with the same outcome, because each of them may take as long as a timeout.
 */
export const callContracts = async (
  source: Pick<Source, "runCalls">,
  calls: readonly ReadOnlyCall[],
  height: number,
): Promise<CallOutcome[]> => {
  const outcomes: CallOutcome[] = [];
  const send = async (batch: readonly IndexedCall[]): Promise<void> => {
    // An empty batch would still be a request.
    if (batch.length === 0) return;
    const results = await source.runCalls(
      batch.map(({ call }) => call),
      height,
    );
    for (const [index, { position }] of batch.entries()) outcomes[position] = results[index] ?? { ok: false, reverted: false };
  };
  const byContract = groupBy(
    calls.map((call, position): IndexedCall => ({ call, position })),
    ({ call }) => call.to,
  );
  const groups = [...byContract.values()].map((group) => ({ probes: group.slice(0, maxProbes), others: group.slice(maxProbes) }));
  await send(groups.flatMap(({ probes }) => probes));
  const remaining: IndexedCall[] = [];
  for (const { probes, others } of groups) {
    const results = probes.map(({ position }) => outcomes[position]);
    const [outcome] = results;
    if (outcome === undefined || !results.every(hasNoResponse)) remaining.push(...others);
    else for (const { position } of others) outcomes[position] = outcome;
  }
  await send(remaining);
  return outcomes;
};
