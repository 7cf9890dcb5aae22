import type { Job } from "../../../../jobs/job.ts";
import { createReadBasesJob } from "./bases/read-bases.ts";
import { createCheckState } from "./check-state.ts";
import { createCompareTouchedBalancesJob, createCompareTouchedSuppliesJob, createSweepJob } from "./checks/check-jobs.ts";
import { createCompareRequestedTokensJob } from "./checks/compare-requested-tokens.ts";
import { createReadUnknownBalancesJob, createUnreadBackoff } from "./holders/read-unknown-balances.ts";
import { createRefreshBalancesJob } from "./holders/refresh-balances.ts";
import { createFindQuietCallsJob } from "./quiet-calls/find-quiet-calls.ts";
import { createReadAfterQuietCallsJob } from "./quiet-calls/read-after-quiet-calls.ts";
import { defaultReconciliationSettings, type ReconciliationSettings } from "./settings.ts";
import { createLocateSupplyChangesJob } from "./supplies/locate-supply-changes.ts";

/** The jobs that determine balances and supplies that do not follow from events. */
export const createReconciliationJobs = (overrides: Partial<ReconciliationSettings> = {}): Job[] => {
  const settings = { ...defaultReconciliationSettings, ...overrides };
  const state = createCheckState(settings);
  const unread = createUnreadBackoff(settings);
  return [
    createReadBasesJob(settings),
    createReadUnknownBalancesJob(settings, unread),
    createCompareTouchedBalancesJob(settings, state),
    createFindQuietCallsJob(settings, state),
    createReadAfterQuietCallsJob(settings, unread),
    createCompareTouchedSuppliesJob(settings, state),
    createLocateSupplyChangesJob(settings),
    createSweepJob(settings, state),
    createCompareRequestedTokensJob(settings, state),
    createRefreshBalancesJob(settings),
  ];
};
