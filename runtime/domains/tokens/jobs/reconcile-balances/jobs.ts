import type { Job } from "../../../../jobs/job.ts";
import { createCompareAsked } from "./asked-tokens.ts";
import { createContractBackoff } from "./backoff.ts";
import { createCheckSupplies, createCheckTouched, createSweep } from "./checks.ts";
import { createFollowCalls } from "./follow-calls.ts";
import { createReadCalls } from "./read-calls.ts";
import { createRefresh } from "./refresh.ts";
import { createResolveSupplies } from "./resolve-supplies.ts";
import { defaultReconciliation, type ReconciliationSettings } from "./settings.ts";
import { createSettleBases } from "./settle-bases.ts";
import { createSettleReadings, createUnreadBalances } from "./settle-readings.ts";

/** What makes balances and supplies exact where events alone do not: found out, compared, and asked again, beside the loop. */
export const createReconciliationJobs = (overrides: Partial<ReconciliationSettings> = {}): Job[] => {
  const settings = { ...defaultReconciliation, ...overrides };
  const patience = createContractBackoff(settings);
  const unread = createUnreadBalances(settings);
  return [
    createSettleBases(settings),
    createSettleReadings(settings, unread),
    createCheckTouched(settings, patience),
    createFollowCalls(settings, patience),
    createReadCalls(settings, unread),
    createCheckSupplies(settings, patience),
    createResolveSupplies(settings),
    createSweep(settings, patience),
    createCompareAsked(settings, patience),
    createRefresh(settings),
  ];
};
