import { parserOf } from "./parsed.ts";

/** Longer than any name looked up, and short enough to be cheap. */
const maxLength = 1024;
/** Control characters, including U+0000, which PostgreSQL cannot store, and unpaired surrogates. */
const unprintable = /[\p{Cc}\p{Cs}]/u;

/** Describes the accepted texts. */
export const textExpected = `text of up to ${maxLength} characters without control characters`;

/** Parses free text. */
export const parseText = parserOf(textExpected, (text) => (text.length <= maxLength && !unprintable.test(text) ? text : undefined));
