import { createTokenBackoff, type TokenBackoff } from "../../../../jobs/token-backoff.ts";
import type { Address } from "../../../../lib/hex.ts";
import type { ReconciliationSettings } from "./settings.ts";

/** Tokens remembered at most; beyond, the one entered first is forgotten. */
const maxTokens = 10_000;

/** Tokens that differed once. A difference counts when a later look finds one again. Kept in memory alone: a look finds it anew. */
export const createSuspects = (confirmMilliseconds: number) => {
  const entries = new Map<Address, { readonly owner: Address; readonly since: number }>();
  return {
    /** Notes a difference; true where one was found long enough before. */
    isConfirmed: (token: Address, owner: Address, now: Date): boolean => {
      const entry = entries.get(token);
      if (entry === undefined) {
        entries.set(token, { owner, since: now.getTime() });
        forgetOldest(entries);
        return false;
      }
      if (entry.since + confirmMilliseconds > now.getTime()) return false;
      entries.delete(token);
      return true;
    },
    /** Drops a suspicion that its own owner does not bear out. */
    clear: (token: Address, owner: Address): void => {
      if (entries.get(token)?.owner === owner) entries.delete(token);
    },
    /** Those whose second look is due. */
    due: (now: Date): { token: Address; owner: Address }[] =>
      [...entries].flatMap(([token, { owner, since }]) => (since + confirmMilliseconds <= now.getTime() ? [{ token, owner }] : [])),
  };
};

export type Suspects = ReturnType<typeof createSuspects>;

/** How long and how often a contract is asked before it counts. */
export interface CheckState {
  readonly backoff: TokenBackoff;
  readonly suspects: Suspects;
}

/** With nobody left alone and nobody suspected. */
export const createCheckState = ({ backoffMilliseconds: deferMilliseconds, confirmMilliseconds }: ReconciliationSettings): CheckState => ({
  backoff: createTokenBackoff(deferMilliseconds),
  suspects: createSuspects(confirmMilliseconds),
});

const forgetOldest = (entries: Map<Address, unknown>): void => {
  const oldest = entries.keys().next().value;
  if (entries.size > maxTokens && oldest !== undefined) entries.delete(oldest);
};
