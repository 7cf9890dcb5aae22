/** The time format in responses: ISO 8601 in UTC, in whole seconds. */
export function isoTimestamp(unixSeconds: number): string {
  // Consecutive list rows often belong to the same block.
  if (unixSeconds === last.seconds) return last.text;
  last = { seconds: unixSeconds, text: `${new Date(unixSeconds * 1000).toISOString().slice(0, 19)}Z` };
  return last.text;
}

let last = { seconds: Number.NaN, text: "" };

/** The first second of a UTC day in YYYY-MM-DD format. */
export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000;

export const secondsPerHour = 3_600;
export const secondsPerDay = 86_400;
