/** The periods that have credit quotas: UTC calendar days and months. */
export const periods = ["day", "month"] as const;
export type Period = (typeof periods)[number];

/** The UTC day of a time, as `YYYY-MM-DD`. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** The UTC month of a day, as `YYYY-MM`. */
export const monthOf = (day: string): string => day.slice(0, 7);

/** The start of the period that includes a time. */
const startOf = (period: Period, at: Date): Date =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), period === "day" ? at.getUTCDate() : 1));

/** The start of the next period, when its quota is available again. Date.UTC carries days and months over. */
export const resetOf = (period: Period, at: Date): Date =>
  period === "day"
    ? new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1))
    : new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));

/** Whole seconds until the next period, at least one. */
export const secondsUntilReset = (period: Period, at: Date): number =>
  Math.max(1, Math.ceil((resetOf(period, at).getTime() - at.getTime()) / 1000));

/** The length of the period that includes a time, in seconds. */
export const secondsOf = (period: Period, at: Date): number => (resetOf(period, at).getTime() - startOf(period, at).getTime()) / 1000;
