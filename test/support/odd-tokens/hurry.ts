import { usualReading } from "../../../runtime/domains/approvals/reading/settings.ts";
import { usualSettling } from "../../../runtime/domains/tokens/settling/settings.ts";

/**
 * Lets the chores that compare look every half second instead of every few seconds. Nothing else is changed: how long a difference has to last, how long a silent
 * contract is left alone and how soon a token is compared again stay as they are, and pass by the replaced clock.
 */
export const hurryChores = (): void => {
  Object.assign(usualSettling, { settleMilliseconds: 250, checkMilliseconds: 500, sweepMilliseconds: 500, refreshMilliseconds: 500 });
  Object.assign(usualReading, { readMilliseconds: 250, sweepMilliseconds: 500 });
};
