/** A block range with one balance; null if unknown. */
export interface ReportedPeriod {
  readonly from: number;
  readonly to: number;
  readonly balance: bigint | null;
}

/** The balance before a touch, and the block that set it. */
export interface PriorBalance {
  readonly balance: bigint | null;
  readonly since: number;
}

/**
 * The periods from the block that set a balance up to the block before `block`, which touched it again. For an account whose balances the node reports, the
 * index may miss changes in between. `before` is the balance right before the touch; null if the node lacks that state. If it equals the prior balance, nothing
 * has changed. Otherwise the prior balance is certain in its first block, `before` in the last one, and the balance is unknown in all blocks in between.
 */
export const periodsBefore = ({ balance, since }: PriorBalance, before: bigint | null, block: number): ReportedPeriod[] => {
  const last = block - 1;
  if (since > last) return [];
  if (since === last || (balance !== null && balance === before)) return [{ from: since, to: last, balance }];
  const periods: ReportedPeriod[] = [{ from: since, to: since, balance }];
  const lastUnknown = before === null ? last : last - 1;
  if (lastUnknown > since) {
    // An unknown balance stays unknown.
    if (balance === null) periods[0] = { from: since, to: lastUnknown, balance };
    else periods.push({ from: since + 1, to: lastUnknown, balance: null });
  }
  if (before !== null) periods.push({ from: last, to: last, balance: before });
  return periods;
};
