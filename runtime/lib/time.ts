/** The format of times in responses: ISO 8601 in UTC, in whole seconds. */
export const isoTimestamp = (unixSeconds: number): string => `${new Date(unixSeconds * 1000).toISOString().slice(0, 19)}Z`;

/** The first second of a UTC day in YYYY-MM-DD format. */
export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000;

export const secondsPerHour = 3_600;
export const secondsPerDay = 86_400;
