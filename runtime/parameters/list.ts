import type { Parsed } from "../../generated/requests.gen.ts";
import { accept, reject } from "./parsed.ts";

/** Parses up to `maxItems` comma-separated, trimmed, non-empty elements; `element` describes one of them in messages. */
export function parseList<T>(text: string, maxItems: number, element: string, parse: (text: string) => Parsed<T>): Parsed<readonly T[]> {
  const parts = text.split(",", maxItems + 1);
  const rejection = reject(`1 to ${maxItems} comma-separated elements, each ${element}`);
  if (parts.length > maxItems) return rejection;
  const values: T[] = [];
  for (const part of parts) {
    const trimmed = part.trim();
    const parsed = trimmed === "" ? undefined : parse(trimmed);
    if (!parsed?.ok) return rejection;
    values.push(parsed.value);
  }
  return accept(values);
}
