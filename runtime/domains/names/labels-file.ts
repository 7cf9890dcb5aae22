import type { Address } from "../../lib/hex.ts";
import type { Labels } from "./labels.ts";

/** Lists every issue in an invalid labels file. */
class LabelsFileError extends Error {
  override readonly name = "LabelsFileError";

  constructor(issues: readonly string[]) {
    super(issues.join("\n"));
  }
}

interface Entry {
  /** The location for messages: the file with the line or index. */
  readonly location: string;
  readonly address: unknown;
  readonly label: unknown;
}

const maxCharacters = 100;
const expectedFormat = "CSV lines address,label; or JSON, an object that maps addresses to labels or a list of {address, label}";

/**
 * Parses an operator's labels file: JSON if its name ends in .json, otherwise CSV (RFC 4180, one line per entry). @throws {LabelsFileError} if any entry is
 * invalid.
 */
export const parseLabels = (file: string, text: string): Labels => {
  const entries = file.toLowerCase().endsWith(".json") ? readJson(file, text) : readCsv(file, text);
  const labels = new Map<Address, string>();
  const issues: string[] = [];
  for (const { location, address, label } of entries) {
    const issue = issueOf(address, label);
    const key = String(address).toLowerCase() as Address;
    if (issue !== null) issues.push(`${location}: ${issue}`);
    else if (labels.has(key)) issues.push(`${location}: Duplicate address ${key}: expected unique addresses.`);
    else labels.set(key, String(label).trim());
  }
  if (issues.length > 0) throw new LabelsFileError(issues);
  return labels;
};

const issueOf = (address: unknown, label: unknown): string | null => {
  if (typeof address !== "string" || !/^0x[0-9a-f]{40}$/i.test(address))
    return `Invalid address ${renderShort(address)}: expected 0x followed by 40 hex digits.`;
  if (typeof label !== "string" || label.trim() === "" || [...label].length > maxCharacters || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(label))
    return `Invalid label ${renderShort(label)}: expected 1 to ${maxCharacters} printable characters.`;
  return null;
};

/** A value as JSON, shortened; text is truncated before it is quoted. */
const renderShort = (value: unknown): string => {
  if (value === undefined) return "(missing)";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : (JSON.stringify(value) ?? "(missing)").slice(0, 100);
};

const readJson = (file: string, text: string): Entry[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new LabelsFileError([
      `${file}: Invalid JSON (${error instanceof Error ? error.message : "unreadable"}): expected ${expectedFormat}.`,
    ]);
  }
  if (typeof value !== "object" || value === null)
    throw new LabelsFileError([`${file}: Invalid labels ${renderShort(value)}: expected ${expectedFormat}.`]);
  if (!Array.isArray(value))
    return Object.entries(value).map(([address, label]) => ({ location: `${file}: ${address.slice(0, 100)}`, address, label }));
  return value.map((entry: unknown, position) => {
    const { address, label } = (typeof entry === "object" && entry !== null ? entry : {}) as { address?: unknown; label?: unknown };
    return { location: `${file}: entry ${position + 1}`, address, label };
  });
};

const readCsv = (file: string, text: string): Entry[] =>
  text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .map((line, position) => ({ line, location: `${file}:${position + 1}` }))
    .filter(({ line }, position) => line.trim() !== "" && !(position === 0 && /^"?address"?\s*,/i.test(line)))
    .map(({ line, location }) => {
      const [address, label] = cellsOf(line);
      return { location, address, label };
    });

/** The two cells of a line, without their quotes. The label is undefined if the line has a second comma outside quotes. */
const cellsOf = (line: string): [string | undefined, string | undefined] => {
  const match = /^\s*("(?:[^"]|"")*"|[^",]*?)\s*,\s*("(?:[^"]|"")*"|[^",]*?)\s*$/.exec(line);
  return match === null ? [/^\s*"?([^",]*)/.exec(line)?.[1]?.trim(), undefined] : [unquote(match[1] ?? ""), unquote(match[2] ?? "")];
};

const unquote = (cell: string): string => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
