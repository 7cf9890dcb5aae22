import type { Chore } from "../../../jobs/chore.ts";
import { createCheckTouched, createSweep } from "./checks.ts";
import { createPatience } from "./patience.ts";
import { createRefresh } from "./refresh.ts";
import { type SettlingSettings, usualSettling } from "./settings.ts";
import { createSettleBases } from "./settle-bases.ts";
import { createSettleReadings } from "./settle-readings.ts";

/** What makes balances exact where events alone do not: found out, compared, and asked again, beside the loop. */
export const createSettlingChores = (overrides: Partial<SettlingSettings> = {}): Chore[] => {
  const settings = { ...usualSettling, ...overrides };
  const patience = createPatience(settings);
  return [
    createSettleBases(settings),
    createSettleReadings(settings),
    createCheckTouched(settings, patience),
    createSweep(settings, patience),
    createRefresh(settings),
  ];
};
