import { parserOf } from "./parsed.ts";

/** Max characters: more than any name that is looked up has, and few enough to be cheap to process. */
const maxLength = 1024;
/** Control characters, including U+0000, which PostgreSQL cannot store, and unpaired surrogates. */
const unprintable = /[\p{Cc}\p{Cs}]/u;

/** Describes the accepted texts. */
export const textExpected = `text of up to ${maxLength} characters without control characters`;

/** Parses free text. */
export const parseText = parserOf(textExpected, (text) => (text.length <= maxLength && !unprintable.test(text) ? text : undefined));
