import type { Chore } from "../../../jobs/chore.ts";
import { createCompareAsked } from "./asked-tokens.ts";
import { createCheckSupplies, createCheckTouched, createSweep } from "./checks.ts";
import { createFollowCalls } from "./follow-calls.ts";
import { createPatience } from "./patience.ts";
import { createReadCalls } from "./read-calls.ts";
import { createRefresh } from "./refresh.ts";
import { createResolveSupplies } from "./resolve-supplies.ts";
import { type SettlingSettings, usualSettling } from "./settings.ts";
import { createSettleBases } from "./settle-bases.ts";
import { createSettleReadings, createUnreadBalances } from "./settle-readings.ts";

/** What makes balances and supplies exact where events alone do not: found out, compared, and asked again, beside the loop. */
export const createSettlingChores = (overrides: Partial<SettlingSettings> = {}): Chore[] => {
  const settings = { ...usualSettling, ...overrides };
  const patience = createPatience(settings);
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
