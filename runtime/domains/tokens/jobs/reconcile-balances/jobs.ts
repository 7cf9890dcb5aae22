import type { Job } from "../../../../jobs/job.ts";
import { createReadBases } from "./bases/read-bases.ts";
import { createCheckState } from "./check-state.ts";
import { createCompareTouchedBalances, createCompareTouchedSupplies, createSweep } from "./checks/check-jobs.ts";
import { createCompareRequested } from "./checks/compare-requested-tokens.ts";
import { createReadUnknownBalances, createUnreadBackoff } from "./holders/read-unknown-balances.ts";
import { createRefreshBalances } from "./holders/refresh-balances.ts";
import { createFindQuietCalls } from "./quiet-calls/find-quiet-calls.ts";
import { createReadAfterQuietCalls } from "./quiet-calls/read-after-quiet-calls.ts";
import { defaultReconciliation, type ReconciliationSettings } from "./settings.ts";
import { createLocateSupplyChanges } from "./supplies/locate-supply-changes.ts";

/** What makes balances and supplies exact where events alone do not: found out, compared, and asked again, beside the loop. */
export const createReconciliationJobs = (overrides: Partial<ReconciliationSettings> = {}): Job[] => {
  const settings = { ...defaultReconciliation, ...overrides };
  const patience = createCheckState(settings);
  const unread = createUnreadBackoff(settings);
  return [
    createReadBases(settings),
    createReadUnknownBalances(settings, unread),
    createCompareTouchedBalances(settings, patience),
    createFindQuietCalls(settings, patience),
    createReadAfterQuietCalls(settings, unread),
    createCompareTouchedSupplies(settings, patience),
    createLocateSupplyChanges(settings),
    createSweep(settings, patience),
    createCompareRequested(settings, patience),
    createRefreshBalances(settings),
  ];
};
