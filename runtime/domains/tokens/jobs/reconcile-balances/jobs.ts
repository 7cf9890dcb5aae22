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

/** The jobs that determine balances and supplies that do not follow from events. */
export const createReconciliationJobs = (overrides: Partial<ReconciliationSettings> = {}): Job[] => {
  const settings = { ...defaultReconciliation, ...overrides };
  const state = createCheckState(settings);
  const unread = createUnreadBackoff(settings);
  return [
    createReadBases(settings),
    createReadUnknownBalances(settings, unread),
    createCompareTouchedBalances(settings, state),
    createFindQuietCalls(settings, state),
    createReadAfterQuietCalls(settings, unread),
    createCompareTouchedSupplies(settings, state),
    createLocateSupplyChanges(settings),
    createSweep(settings, state),
    createCompareRequested(settings, state),
    createRefreshBalances(settings),
  ];
};
