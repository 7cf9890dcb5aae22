import type { CallOutcome, Source } from "../../../chain/source.ts";
import { type BalanceKey, baseReadOf } from "../projection/base-reads.ts";

/**
 * Reads balances as of a block: native ones from the node's state, all others by contract calls; null if there is no call for a balance or no usable result.
 */
export const readBalancesAt = async (
  source: Pick<Source, "balances" | "runCalls">,
  keys: readonly BalanceKey[],
  height: number,
  decode: (key: BalanceKey, outcome: CallOutcome) => bigint | null,
): Promise<(bigint | null)[]> => {
  const reads = keys.map((key) => baseReadOf(key, height));
  const owners = reads.flatMap((read) => (read !== null && "address" in read ? [read.address] : []));
  const calls = reads.flatMap((read) => (read !== null && "to" in read ? [{ to: read.to, data: read.data }] : []));
  const amounts = owners.length === 0 ? [] : await source.balances(owners, height);
  const outcomes = calls.length === 0 ? [] : await source.runCalls(calls, height);
  let [nextAmount, nextOutcome] = [0, 0];
  return keys.map((key, position) => {
    const read = reads[position] ?? null;
    if (read === null) return null;
    if ("address" in read) return amounts[nextAmount++] ?? null;
    const outcome = outcomes[nextOutcome++];
    return outcome === undefined ? null : decode(key, outcome);
  });
};
