import { backoff } from "../lib/async.ts";
import type { Address } from "../lib/hex.ts";

const max = 3_600_000;
/** Tokens remembered; beyond, the one that failed first is forgotten. */
const maxTokens = 10_000;

/** Tokens whose contracts failed to answer, each with the time until which jobs leave it out, so that it does not delay the others. Kept in memory only. */
export const createTokenBackoff = (base: number) => {
  const entries = new Map<Address, { readonly until: number; readonly failures: number }>();
  return {
    /** Leaves a token out, each time for twice as long. */
    put: (token: Address, now: Date): void => {
      const failures = (entries.get(token)?.failures ?? 0) + 1;
      entries.delete(token);
      entries.set(token, { until: now.getTime() + backoff(failures, { base, max }), failures });
      const oldest = entries.keys().next().value;
      if (entries.size > maxTokens && oldest !== undefined) entries.delete(oldest);
    },
    clear: (token: Address): void => void entries.delete(token),
    /** The tokens that are left out now. */
    tokens: (now: Date): Address[] => [...entries].flatMap(([token, { until }]) => (until > now.getTime() ? [token] : [])),
  };
};

export type TokenBackoff = ReturnType<typeof createTokenBackoff>;
