import { usualReading } from "../../../runtime/domains/approvals/reading/settings.ts";
import { usualSettling } from "../../../runtime/domains/tokens/settling/settings.ts";

/**
 * Lets the chores that compare look five times a second instead of every few seconds. Nothing else is changed: how long a difference has to last, how long a silent
 * contract is left alone and how soon a token is compared again stay as they are, and pass by the replaced clock.
 */
export const hurryChores = (): void => {
  Object.assign(usualSettling, { settleMilliseconds: 200, checkMilliseconds: 200, sweepMilliseconds: 200, refreshMilliseconds: 200 });
  Object.assign(usualReading, { readMilliseconds: 200, sweepMilliseconds: 200 });
};
