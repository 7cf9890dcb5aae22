import { defaultAllowanceReadSettings } from "../../../runtime/domains/approvals/jobs/read-allowances/settings.ts";
import { defaultReconciliation } from "../../../runtime/domains/tokens/jobs/reconcile-balances/settings.ts";

/**
 * Lets the jobs that compare look five times a second instead of every few seconds. Nothing else is changed: how long a difference has to last, how long a silent
 * contract is left alone and how soon a token is compared again stay as they are, and pass by the replaced clock.
 */
export const hurryJobs = (): void => {
  Object.assign(defaultReconciliation, {
    settleMilliseconds: 200,
    checkMilliseconds: 200,
    sweepMilliseconds: 200,
    refreshMilliseconds: 200,
  });
  Object.assign(defaultAllowanceReadSettings, { readMilliseconds: 200, sweepMilliseconds: 200 });
};
