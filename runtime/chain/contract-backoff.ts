import { backoff } from "../lib/async.ts";
import type { Address } from "../lib/hex.ts";

/** Max backoff in milliseconds. */
const max = 3_600_000;
/** Max contracts; the oldest entry is dropped first. */
const maxContracts = 10_000;

/**
 * Remembers, in memory, contracts that did not respond. Calls to them are skipped with exponential backoff, so that they do not delay calls to other contracts.
 * `base` is the first backoff in milliseconds.
 */
export const createContractBackoff = (base: number) => {
  const entries = new Map<Address, { readonly until: number; readonly failures: number }>();
  return {
    /** Skips a contract after a failure; each additional failure doubles the time. */
    recordFailure: (contract: Address, now: Date): void => {
      const failures = (entries.get(contract)?.failures ?? 0) + 1;
      entries.delete(contract);
      entries.set(contract, { until: now.getTime() + backoff(failures, { base, max }), failures });
      const oldest = entries.keys().next().value;
      if (entries.size > maxContracts && oldest !== undefined) entries.delete(oldest);
    },
    clear: (contract: Address): void => void entries.delete(contract),
    /** The contracts to skip now. */
    contractsToSkip: (now: Date): Address[] => [...entries].flatMap(([contract, { until }]) => (until > now.getTime() ? [contract] : [])),
  };
};

export type ContractBackoff = ReturnType<typeof createContractBackoff>;
