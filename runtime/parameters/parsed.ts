import type { Parsed } from "../../generated/requests.gen.ts";

/** Accepts a parameter with its parsed value. */
export const accept = <T>(value: T): Parsed<T> => ({ ok: true, value });

/** Rejects a parameter; `expected` completes the sentence "expected …". */
export const reject = (expected: string): Parsed<never> => ({ ok: false, expected });

/** Creates a parser that accepts what `read` returns and rejects the text if it returns undefined. */
export const parserOf =
  <T>(expected: string, read: (text: string) => T | undefined) =>
  (text: string): Parsed<T> => {
    const value = read(text);
    return value === undefined ? reject(expected) : accept(value);
  };
