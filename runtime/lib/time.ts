/** A time in the interface's format: ISO 8601 in UTC, whole seconds. */
export const isoTimestamp = (unixSeconds: number): string => `${new Date(unixSeconds * 1000).toISOString().slice(0, 19)}Z`;

/** The first second of a UTC day given as YYYY-MM-DD. */
export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000;

export const secondsOfHour = 3_600;
export const secondsOfDay = 86_400;
