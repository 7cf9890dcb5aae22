/** A stretch of blocks with one balance; null where it is not known. */
export interface ReportedPeriod {
  readonly from: number;
  readonly to: number;
  readonly balance: bigint | null;
}

/** What stood before a touch: a balance, and the block that set it. */
export interface PriorBalance {
  readonly balance: bigint | null;
  readonly since: number;
}

/**
 * What an account had from the block that set its balance up to the one before `block`, which touched it again, when the node tells balances and nobody sees
 * every change. `before` is the node's word right before the touch, null where it lacks that state. If it is the balance that stood, nothing is known to have
 * changed between; if not, the balance stood in its first block for sure, the node's word holds in the last one, and between them nobody knows.
 */
export const periodsBefore = ({ balance, since }: PriorBalance, before: bigint | null, block: number): ReportedPeriod[] => {
  const last = block - 1;
  if (since > last) return [];
  if (since === last || (balance !== null && balance === before)) return [{ from: since, to: last, balance }];
  const spells: ReportedPeriod[] = [{ from: since, to: since, balance }];
  const between = before === null ? last : last - 1;
  if (between > since) {
    // What is not known goes on not to be known.
    if (balance === null) spells[0] = { from: since, to: between, balance };
    else spells.push({ from: since + 1, to: between, balance: null });
  }
  if (before !== null) spells.push({ from: last, to: last, balance: before });
  return spells;
};
