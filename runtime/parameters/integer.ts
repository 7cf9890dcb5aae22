import type { Bounds, Parsed } from "../../generated/requests.gen.ts";
import { readInteger } from "./numerals.ts";
import { accept, refuse } from "./parsed.ts";

/** Parses a whole number in canonical decimal within inclusive bounds. */
export function parseInteger(text: string, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Bounds): Parsed<number> {
  const value = readInteger(text);
  return value !== undefined && value >= minimum && value <= maximum
    ? accept(value)
    : refuse(`a whole number from ${minimum} to ${maximum}`);
}
