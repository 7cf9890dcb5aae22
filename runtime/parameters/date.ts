import { parserOf } from "./parsed.ts";

const dayPattern = /^(?:19[7-9]|[2-9][0-9]{2})[0-9]-[0-9]{2}-[0-9]{2}$/;
const dayExpected = "a calendar day as YYYY-MM-DD, 1970-01-01 or later";

/** `Date` converts 30 February to 1 or 2 March, so a day exists only if formatting it returns the same text. */
function read(text: string): string | undefined {
  if (!dayPattern.test(text)) return undefined;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text) ? text : undefined;
}

/** Parses a UTC day. */
export const parseDate = parserOf(dayExpected, read);

/** Parses a UTC day or `latest`. */
export const parseDateOrLatest = parserOf(`${dayExpected}, or latest`, (text) => (text === "latest" ? text : read(text)));
