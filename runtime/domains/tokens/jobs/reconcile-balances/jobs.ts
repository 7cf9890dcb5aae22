import type { Job } from "../../../../jobs/job.ts";
import { createSettleBases } from "./bases/read-bases.ts";
import { createCheckSupplies, createCheckTouched, createSweep } from "./checks/check-jobs.ts";
import { createCompareAsked } from "./checks/compare-requested-tokens.ts";
import { createContractBackoff } from "./contract-backoff.ts";
import { createSettleReadings, createUnreadBalances } from "./holders/read-unknown-balances.ts";
import { createRefresh } from "./holders/refresh-balances.ts";
import { createFollowCalls } from "./quiet-calls/find-quiet-calls.ts";
import { createReadCalls } from "./quiet-calls/read-after-quiet-calls.ts";
import { defaultReconciliation, type ReconciliationSettings } from "./settings.ts";
import { createResolveSupplies } from "./supplies/locate-supply-changes.ts";

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
