import { monthOf, type Period } from "./periods.ts";

/** Hundredths of a credit per period; null without a quota. */
export type PerPeriod = Readonly<Record<Period, number | null>>;

/** A key's quotas, and the part that was neither used nor leased when they were read. */
export interface Quotas {
  readonly quota: PerPeriod;
  readonly remaining: PerPeriod;
  /** The UTC day to which `remaining` refers. */
  readonly day: string;
}

/**
 * The part of a key's credits that this process may use: it lasts until the process's total charges reach `leased`. Charges beyond it are an overdraft,
 * which the next lease includes.
 */
export interface Lease {
  quotas: Quotas;
  leased: number;
  /** The size of the last lease. */
  granted: number;
  /** The cost of the key's most expensive response. */
  maxCost: number;
}

/** A lease is at least the smaller quota divided by this number: see `leaseSizeOf`. */
const leasesPerQuota = 50;
/** How many responses a lease suffices for: twice a key's default concurrent requests, so that those in flight cost at most half of it. */
const responsesPerLease = 32;

const min = ({ day, month }: PerPeriod): number => Math.min(day ?? Number.POSITIVE_INFINITY, month ?? Number.POSITIVE_INFINITY);

/** A lease's size: a 50th of the smaller quota, or 32 times the most expensive response, whichever is larger. */
export const leaseSizeOf = ({ quotas, maxCost }: Lease): number =>
  Math.max(2, Math.ceil(min(quotas.quota) / leasesPerQuota), responsesPerLease * maxCost);

/** Whether a lease should be taken: less than half of the last one remains, and there are credits that no server has leased. */
export const isLeaseLow = (lease: Lease, charged: number): boolean =>
  min(lease.quotas.remaining) > 0 && lease.leased - charged <= Math.floor(lease.granted / 2);

/** Why the next request must be rejected: the used-up quota, or `lease` if the next lease has not been granted yet; null if it may be processed. */
export function exhaustedBy(lease: Lease, charged: number): Period | "lease" | null {
  const overdraft = charged - lease.leased;
  if (overdraft < 0) return null;
  const { month } = lease.quotas.remaining;
  if (overdraft >= min(lease.quotas.remaining)) return month !== null && overdraft >= month ? "month" : "day";
  return overdraft < leaseSizeOf(lease) / 2 ? null : "lease";
}

/**
 * The quotas on a later day: what is left in a period that has begun since then is unknown, and assumed to be the entire quota. The overdraft on the
 * earlier day counts only for its month.
 */
export function quotasOnDay({ quota, remaining, day: earlier }: Quotas, day: string, overdraft: number): Quotas {
  const monthLeft = remaining.month === null ? null : remaining.month - overdraft;
  return { quota, remaining: { day: quota.day, month: monthOf(earlier) === monthOf(day) ? monthLeft : quota.month }, day };
}
