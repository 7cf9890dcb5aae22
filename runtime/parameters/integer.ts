import type { Bounds, Parsed } from "../../generated/requests.gen.ts";
import { readInteger } from "./numerals.ts";
import { accept, reject } from "./parsed.ts";

/** Parses an integer in canonical decimal notation within inclusive bounds. */
export function parseInteger(text: string, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Bounds): Parsed<number> {
  const value = readInteger(text);
  return value !== undefined && value >= minimum && value <= maximum
    ? accept(value)
    : reject(`a whole number from ${minimum} to ${maximum}`);
}
