import { secondsOfDay } from "../../../lib/time.ts";

const daysOfWeek = 7;

/** Where the seven spans of 24 hours up to a time end (unix seconds), newest first, and where the last one begins. */
export const endsOfWeek = (end: number): readonly number[] => Array.from({ length: daysOfWeek + 1 }, (_, day) => end - day * secondsOfDay);

/** The last second of each of those spans: the time that it is priced at. */
export const closesOfWeek = (end: number): readonly number[] =>
  endsOfWeek(end)
    .slice(0, daysOfWeek)
    .map((time) => time - 1);

/** The UTC day of a time, in days since 1970. */
export const dayOf = (time: number): number => Math.floor(time / secondsOfDay);

const hoursOfDay = 24;

/** The last hour of a UTC day, in hours since 1970. */
export const lastHourOf = (day: number): number => day * hoursOfDay + hoursOfDay - 1;
