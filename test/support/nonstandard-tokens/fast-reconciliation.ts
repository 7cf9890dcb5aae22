import { defaultAllowanceReadSettings } from "../../../runtime/domains/approvals/jobs/read-allowances/settings.ts";
import { defaultReconciliation } from "../../../runtime/domains/tokens/jobs/reconcile-balances/settings.ts";

/**
 * Makes the reconciliation jobs run five times a second instead of every few seconds. All other delays keep their defaults; the tests advance the clock to get
 * past them.
 */
export const shortenJobIntervals = (): void => {
  Object.assign(defaultReconciliation, {
    settleMilliseconds: 200,
    checkMilliseconds: 200,
    sweepMilliseconds: 200,
    refreshMilliseconds: 200,
  });
  Object.assign(defaultAllowanceReadSettings, { readMilliseconds: 200, sweepMilliseconds: 200 });
};
