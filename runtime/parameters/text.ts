import { parserOf } from "./parsed.ts";

/** Well above the length of every name that is looked up, and small enough to be cheap. */
const longest = 1024;
/** Control characters, of which PostgreSQL cannot even store U+0000, and halves of surrogate pairs. */
const unprintable = /[\p{Cc}\p{Cs}]/u;

/** The accepted form of a text. */
export const textExpected = `text of up to ${longest} characters without control characters`;

/** Parses free text. */
export const parseText = parserOf(textExpected, (text) => (text.length <= longest && !unprintable.test(text) ? text : undefined));
