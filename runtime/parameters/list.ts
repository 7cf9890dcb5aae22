import type { Parsed } from "../../generated/requests.gen.ts";
import { accept, refuse } from "./parsed.ts";

/** Comma-separated elements, each trimmed, none empty, at most `maxItems`; `element` describes one of them in messages. */
export function parseList<T>(text: string, maxItems: number, element: string, parse: (text: string) => Parsed<T>): Parsed<readonly T[]> {
  const parts = text.split(",", maxItems + 1);
  const refusal = refuse(`1 to ${maxItems} comma-separated elements, each ${element}`);
  if (parts.length > maxItems) return refusal;
  const values: T[] = [];
  for (const part of parts) {
    const trimmed = part.trim();
    const parsed = trimmed === "" ? undefined : parse(trimmed);
    if (!parsed?.ok) return refusal;
    values.push(parsed.value);
  }
  return accept(values);
}
