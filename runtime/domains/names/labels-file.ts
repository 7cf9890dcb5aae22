import type { Address } from "../../lib/hex.ts";
import type { Labels } from "./labels.ts";

/** A file of labels that cannot be used, with every reason. */
class LabelsFileError extends Error {
  override readonly name = "LabelsFileError";

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
  }
}

interface Entry {
  /** Where it stands, for a message: the file and the line or position. */
  readonly place: string;
  readonly address: unknown;
  readonly label: unknown;
}

/** Characters of a label. */
const longestLabel = 100;
const accepted = "CSV lines address,label; or JSON, an object of labels by address or a list of {address, label}";

/** Labels of an operator's file: JSON where its name ends so, else CSV (RFC 4180, one line an entry). @throws {LabelsFileError} */
export const parseLabels = (file: string, text: string): Labels => {
  const entries = file.toLowerCase().endsWith(".json") ? readJson(file, text) : readCsv(file, text);
  const labels = new Map<Address, string>();
  const faults: string[] = [];
  for (const { place, address, label } of entries) {
    const fault = faultOf(address, label);
    const key = String(address).toLowerCase() as Address;
    if (fault !== null) faults.push(`${place}: ${fault}`);
    else if (labels.has(key)) faults.push(`${place}: ${key} stands twice; each address once.`);
    else labels.set(key, String(label).trim());
  }
  if (faults.length > 0) throw new LabelsFileError(faults);
  return labels;
};

const faultOf = (address: unknown, label: unknown): string | null => {
  if (typeof address !== "string" || !/^0x[0-9a-f]{40}$/i.test(address))
    return `${shown(address)} was given as an address, 0x + 40 hex digits are accepted.`;
  if (typeof label !== "string" || label.trim() === "" || [...label].length > longestLabel || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(label))
    return `${shown(label)} was given as a label, 1 to ${longestLabel} printable characters are accepted.`;
  return null;
};

const shown = (value: unknown): string => (value === undefined ? "nothing" : (JSON.stringify(value) ?? "nothing").slice(0, 100));

const readJson = (file: string, text: string): Entry[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new LabelsFileError([
      `${file}: it is not JSON (${error instanceof Error ? error.message : "unreadable"}); accepted: ${accepted}.`,
    ]);
  }
  if (typeof value !== "object" || value === null)
    throw new LabelsFileError([`${file}: ${shown(value)} was given; accepted: ${accepted}.`]);
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

/** The two cells of a line; quotes around a cell are taken off. What follows a second comma outside of quotes makes the line no entry. */
const cellsOf = (line: string): [string | undefined, string | undefined] => {
  const match = /^\s*("(?:[^"]|"")*"|[^",]*?)\s*,\s*("(?:[^"]|"")*"|[^",]*?)\s*$/.exec(line);
  return match === null ? [/^\s*"?([^",]*)/.exec(line)?.[1]?.trim(), undefined] : [unquoted(match[1] ?? ""), unquoted(match[2] ?? "")];
};

const unquoted = (cell: string): string => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
