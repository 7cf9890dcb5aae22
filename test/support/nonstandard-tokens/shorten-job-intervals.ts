import {
  type AllowanceReadSettings,
  defaultAllowanceReadSettings,
} from "../../../runtime/domains/approvals/jobs/read-allowances/settings.ts";
import {
  defaultReconciliationSettings,
  type ReconciliationSettings,
} from "../../../runtime/domains/tokens/jobs/reconcile-balances/settings.ts";

/**
 * Makes the reconciliation jobs run five times a second instead of every few seconds. All other delays keep their defaults; the tests advance the clock to get
 * past them.
 */
export const shortenJobIntervals = (): void => {
  Object.assign(defaultReconciliationSettings, {
    readMilliseconds: 200,
    checkMilliseconds: 200,
    sweepMilliseconds: 200,
    refreshMilliseconds: 200,
  } satisfies Partial<ReconciliationSettings>);
  Object.assign(defaultAllowanceReadSettings, {
    readMilliseconds: 200,
    sweepMilliseconds: 200,
  } satisfies Partial<AllowanceReadSettings>);
};
