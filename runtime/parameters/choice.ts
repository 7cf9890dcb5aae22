import type { Parsed } from "../../generated/requests.gen.ts";
import { accept, reject } from "./parsed.ts";

/** Parses one of the listed values, case-sensitively. */
export function parseChoice(text: string, values: readonly string[]): Parsed<string> {
  return values.includes(text) ? accept(text) : reject(values.length === 1 ? `${values[0]}` : `one of ${values.join(", ")}`);
}
