import type { Parsed } from "../../generated/requests.gen.ts";

/** A parameter's value, as it will be used. */
export const accept = <T>(value: T): Parsed<T> => ({ ok: true, value });

/** A refusal with what is accepted instead, worded to follow "… was sent," and precede "is accepted". */
export const refuse = (accepted: string): Parsed<never> => ({ ok: false, accepted });

/** A parser that accepts what `read` returns and refuses where it returns undefined. */
export const parserOf =
  <T>(accepted: string, read: (text: string) => T | undefined) =>
  (text: string): Parsed<T> => {
    const value = read(text);
    return value === undefined ? refuse(accepted) : accept(value);
  };
