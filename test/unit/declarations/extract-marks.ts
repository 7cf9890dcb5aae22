import type { SourceLocation } from "../../../runtime/declarations/diagnostics.ts";

/** Removes the marks § from a text, and returns the marked positions. */
export function extractMarks(file: string, marked: string): { readonly text: string; readonly locations: readonly SourceLocation[] } {
  const locations = marked.split("\n").flatMap((line, index) => {
    const parts = line.split("§").slice(0, -1);
    return parts.map((_, mark) => ({ file, line: index + 1, column: parts.slice(0, mark + 1).join("").length + 1 }));
  });
  return { text: marked.replaceAll("§", ""), locations };
}
