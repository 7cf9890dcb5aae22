import type { KeyLimits, Limit } from "../config/key-limits.ts";
import type { Usage } from "./key-usage.ts";
import type { ActiveKey } from "./keys.ts";

/** The limits that are counted for all of a server's processes. */
export type MeteredLimit = "concurrentRequests" | "databaseSecondsPerMinute";

/** A key's limits: its own, otherwise the configured ones. */
export const limitsOf = <Limits extends Partial<KeyLimits>>(defaults: Limits, { limits }: Pick<ActiveKey, "limits">): Limits => ({
  ...defaults,
  ...limits,
});

/** The milliseconds by which a key's database time drains per minute; 0 if it is unlimited. */
export const drainOf = ({ databaseSecondsPerMinute }: Pick<KeyLimits, "databaseSecondsPerMinute">): number =>
  databaseSecondsPerMinute === "unlimited" ? 0 : databaseSecondsPerMinute * 1000;

/** The limit that another request would exceed; null if there is none. */
export function exceededLimit(
  limits: Pick<KeyLimits, MeteredLimit>,
  { runningRequests, databaseMilliseconds }: Usage,
): MeteredLimit | null {
  if (isReached(runningRequests, limits.concurrentRequests)) return "concurrentRequests";
  return isReached(databaseMilliseconds / 1000, limits.databaseSecondsPerMinute) ? "databaseSecondsPerMinute" : null;
}

const isReached = (used: number, limit: Limit): boolean => limit !== "unlimited" && used >= limit;
