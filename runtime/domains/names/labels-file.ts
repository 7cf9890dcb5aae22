import type { Address } from "../../lib/hex.ts";
import type { Labels } from "./labels.ts";

/** An invalid file of labels, with every fault. */
class LabelsFileError extends Error {
  override readonly name = "LabelsFileError";

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
  }
}

interface Entry {
  /** Its position for messages: the file with the line or index. */
  readonly place: string;
  readonly address: unknown;
  readonly label: unknown;
}

const maxCharacters = 100;
const accepted = "CSV lines address,label; or JSON, an object of labels by address or a list of {address, label}";

/** Parses an operator's file of labels: JSON if its name ends in .json, else CSV (RFC 4180, one line per entry). @throws {LabelsFileError} */
export const parseLabels = (file: string, text: string): Labels => {
  const entries = file.toLowerCase().endsWith(".json") ? readJson(file, text) : readCsv(file, text);
  const labels = new Map<Address, string>();
  const faults: string[] = [];
  for (const { place, address, label } of entries) {
    const fault = faultOf(address, label);
    const key = String(address).toLowerCase() as Address;
    if (fault !== null) faults.push(`${place}: ${fault}`);
    else if (labels.has(key)) faults.push(`${place}: Duplicate address ${key}: expected each address once.`);
    else labels.set(key, String(label).trim());
  }
  if (faults.length > 0) throw new LabelsFileError(faults);
  return labels;
};

const faultOf = (address: unknown, label: unknown): string | null => {
  if (typeof address !== "string" || !/^0x[0-9a-f]{40}$/i.test(address))
    return `Invalid address ${shown(address)}: expected 0x and 40 hex digits.`;
  if (typeof label !== "string" || label.trim() === "" || [...label].length > maxCharacters || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(label))
    return `Invalid label ${shown(label)}: expected 1 to ${maxCharacters} printable characters.`;
  return null;
};

const shown = (value: unknown): string => (value === undefined ? "(missing)" : (JSON.stringify(value) ?? "(missing)").slice(0, 100));

const readJson = (file: string, text: string): Entry[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new LabelsFileError([`${file}: Invalid JSON (${error instanceof Error ? error.message : "unreadable"}): expected ${accepted}.`]);
  }
  if (typeof value !== "object" || value === null)
    throw new LabelsFileError([`${file}: Invalid labels ${shown(value)}: expected ${accepted}.`]);
  if (!Array.isArray(value))
    return Object.entries(value).map(([address, label]) => ({ place: `${file}: ${address.slice(0, 100)}`, address, label }));
  return value.map((entry: unknown, position) => {
    const { address, label } = (typeof entry === "object" && entry !== null ? entry : {}) as { address?: unknown; label?: unknown };
    return { place: `${file}: entry ${position + 1}`, address, label };
  });
};

const readCsv = (file: string, text: string): Entry[] =>
  text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .map((line, position) => ({ line, place: `${file}:${position + 1}` }))
    .filter(({ line }, position) => line.trim() !== "" && !(position === 0 && /^"?address"?\s*,/i.test(line)))
    .map(({ line, place }) => {
      const [address, label] = cellsOf(line);
      return { place, address, label };
    });

/** The two cells of a line without their quotes. A line with a second comma outside of quotes has no label. */
const cellsOf = (line: string): [string | undefined, string | undefined] => {
  const match = /^\s*("(?:[^"]|"")*"|[^",]*?)\s*,\s*("(?:[^"]|"")*"|[^",]*?)\s*$/.exec(line);
  return match === null ? [/^\s*"?([^",]*)/.exec(line)?.[1]?.trim(), undefined] : [unquoted(match[1] ?? ""), unquoted(match[2] ?? "")];
};

const unquoted = (cell: string): string => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
