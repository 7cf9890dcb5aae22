import type { Parsed } from "../../generated/requests.gen.ts";

/** Accepts a parameter with its parsed value. */
export const accept = <T>(value: T): Parsed<T> => ({ ok: true, value });

/** A refusal with a phrase that completes "expected …". */
export const refuse = (expected: string): Parsed<never> => ({ ok: false, expected });

/** A parser that accepts what `read` returns and refuses where it returns undefined. */
export const parserOf =
  <T>(expected: string, read: (text: string) => T | undefined) =>
  (text: string): Parsed<T> => {
    const value = read(text);
    return value === undefined ? refuse(expected) : accept(value);
  };
