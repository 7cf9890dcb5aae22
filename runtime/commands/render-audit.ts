import type { AuditRow } from "../lib/audit-row.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";

const maxDifferencesShown = 20;

/** Renders a chain audit's result as a table, with the first differences. */
export function renderAudit(name: string, height: number, rows: readonly AuditRow[]): string {
  const line = (...cells: readonly (string | number)[]): string =>
    `${String(cells[0]).padEnd(26)}${cells
      .slice(1)
      .map((cell) => String(cell).padStart(12))
      .join("")}\n`;
  const table = rows.map((row) => line(row.subject, row.comparedCount, row.unknownCount, row.differences.length)).join("");
  const all = rows.flatMap((row) => row.differences);
  const shown = all
    .slice(0, maxDifferencesShown)
    .map((difference) => `${escapeTerminal(difference)}\n`)
    .join("");
  const more = all.length > maxDifferencesShown ? `and ${all.length - maxDifferencesShown} more\n` : "";
  const verdict =
    all.length === 0 ? "No differences.\n" : `${all.length} ${all.length === 1 ? "difference" : "differences"}:\n${shown}${more}`;
  return `${name} up to block ${height}\n${line("", "compared", "unknown", "different")}${table}${verdict}`;
}
