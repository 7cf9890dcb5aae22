import { secondsPerDay } from "../../../lib/time.ts";

const daysPerWeek = 7;

/** The ends (unix seconds) of the seven 24-hour spans up to a time, newest first, and the beginning of the last span. */
export const endsOfWeek = (end: number): readonly number[] =>
  Array.from({ length: daysPerWeek + 1 }, (_, day) => end - day * secondsPerDay);

/** The last second of each of these spans; the prices of that second apply to the span. */
export const priceTimesOfWeek = (end: number): readonly number[] =>
  endsOfWeek(end)
    .slice(0, daysPerWeek)
    .map((time) => time - 1);

/** The UTC day of a time, in days since 1970. */
export const dayOf = (time: number): number => Math.floor(time / secondsPerDay);

const hoursPerDay = 24;

/** The last hour of a UTC day, in hours since 1970. */
export const lastHourOf = (day: number): number => day * hoursPerDay + hoursPerDay - 1;
