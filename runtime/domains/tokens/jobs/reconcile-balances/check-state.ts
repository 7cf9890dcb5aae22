import { type ContractBackoff, createContractBackoff } from "../../../../chain/contract-backoff.ts";
import type { Address } from "../../../../lib/hex.ts";
import type { ReconciliationSettings } from "./settings.ts";

/** Max suspects; the oldest one is dropped first. */
const maxSuspects = 10_000;

/**
 * Tokens that differed once. A later comparison that finds a difference again confirms the first one. Suspects are kept in memory
 * only and are found again after a restart.
 */
export const createSuspects = (confirmMilliseconds: number) => {
  const entries = new Map<Address, { readonly owner: Address; readonly since: number }>();
  return {
    /** Records a difference; true if it confirms an earlier one, found at least `confirmMilliseconds` ago. */
    recordDifference: (token: Address, owner: Address, now: Date): boolean => {
      const entry = entries.get(token);
      if (entry === undefined) {
        entries.set(token, { owner, since: now.getTime() });
        dropOldest(entries);
        return false;
      }
      if (entry.since + confirmMilliseconds > now.getTime()) return false;
      entries.delete(token);
      return true;
    },
    /** Drops the suspicion if it is based on this owner's balance. */
    clear: (token: Address, owner: Address): void => {
      if (entries.get(token)?.owner === owner) entries.delete(token);
    },
    /** The suspects whose second comparison is due. */
    due: (now: Date): { token: Address; owner: Address }[] =>
      [...entries].flatMap(([token, { owner, since }]) => (since + confirmMilliseconds <= now.getTime() ? [{ token, owner }] : [])),
  };
};

export type Suspects = ReturnType<typeof createSuspects>;

/** The comparison state kept between runs. */
export interface CheckState {
  readonly backoff: ContractBackoff;
  readonly suspects: Suspects;
}

/** An empty state. */
export const createCheckState = ({ backoffMilliseconds, confirmMilliseconds }: ReconciliationSettings): CheckState => ({
  backoff: createContractBackoff(backoffMilliseconds),
  suspects: createSuspects(confirmMilliseconds),
});

const dropOldest = (entries: Map<Address, unknown>): void => {
  const oldest = entries.keys().next().value;
  if (entries.size > maxSuspects && oldest !== undefined) entries.delete(oldest);
};
