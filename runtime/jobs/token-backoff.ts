import { backoff } from "../lib/async.ts";
import type { Address } from "../lib/hex.ts";

const max = 3_600_000;
/** Max tokens; the oldest entry is dropped first. */
const maxTokens = 10_000;

/** Tokens whose contracts did not respond: jobs skip them with exponential backoff, so that they do not delay the others. In memory only. */
export const createTokenBackoff = (base: number) => {
  const entries = new Map<Address, { readonly until: number; readonly failures: number }>();
  return {
    /** Skips a token, twice as long each time. */
    defer: (token: Address, now: Date): void => {
      const failures = (entries.get(token)?.failures ?? 0) + 1;
      entries.delete(token);
      entries.set(token, { until: now.getTime() + backoff(failures, { base, max }), failures });
      const oldest = entries.keys().next().value;
      if (entries.size > maxTokens && oldest !== undefined) entries.delete(oldest);
    },
    clear: (token: Address): void => void entries.delete(token),
    /** The tokens to skip at a time. */
    deferred: (now: Date): Address[] => [...entries].flatMap(([token, { until }]) => (until > now.getTime() ? [token] : [])),
  };
};

export type TokenBackoff = ReturnType<typeof createTokenBackoff>;
