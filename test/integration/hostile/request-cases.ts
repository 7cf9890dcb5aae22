import type { CsvColumn } from "../../../generated/operations.gen.ts";
import { operations } from "../../../generated/operations.gen.ts";
import { readKey } from "../../../runtime/http/credentials.ts";
import { csvRows } from "../../../runtime/http/csv.ts";
import { renderCell } from "../../../runtime/http/csv-cell.ts";
import { createPathHint } from "../../../runtime/http/path-hint.ts";
import { parseQuery } from "../../../runtime/http/query.ts";
import { redact, redactMessage } from "../../../runtime/http/redact.ts";
import { requestId } from "../../../runtime/http/request-id.ts";
import { protocolsByName, readTarget } from "../../../runtime/http/request-target.ts";
import { escapeTerminal, escapeTerminalLines } from "../../../runtime/lib/terminal-text.ts";
import { parseAddress } from "../../../runtime/parameters/address.ts";
import { parseList } from "../../../runtime/parameters/list.ts";
import { readDecimal, readHexNumeral, readInteger } from "../../../runtime/parameters/numerals.ts";
import { parseText } from "../../../runtime/parameters/text.ts";
import { parseTokenId } from "../../../runtime/parameters/token-id.ts";
import type { DoublingCase } from "./find-growth.ts";

type Texts = readonly (readonly [string, number, (size: number) => string])[];
const casesOf = (name: string, run: (text: string) => unknown, texts: Texts): DoublingCase[] =>
  texts.map(([description, size, input]) => ({ name: `${name} for ${description}`, size, input, run }));
const resultOrError = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

const hint = createPathHint(operations);
const protocols = protocolsByName({ protocol_01: "lend=it" });
const columns: CsvColumn[] = [{ header: "name", path: ["name"], from: "row", kind: "text" }];

const queries: Texts = [
  ["one repeated name", 500, (size) => "a=1&".repeat(size)],
  ["one name repeated above the limit", 2_000, (size) => "a&".repeat(size)],
  ["many names", 500, (size) => Array.from({ length: size }, (_, index) => `n${index}=1`).join("&")],
  ["a value with only escapes", 2_000, (size) => `a=${"%41".repeat(size)}`],
  ["a value with escapes that are not UTF-8", 2_000, (size) => `a=${"%41".repeat(size)}%ff`],
  ["a name with many spaces", 2_000, (size) => `${"+".repeat(size)}a${"+".repeat(size)}=1`],
  ["only separators", 4_000, (size) => "&".repeat(size)],
  ["a value with only equals signs", 4_000, (size) => "=".repeat(size)],
];

const targets: Texts = [
  ["escapes", 2_000, (size) => `/v1/${"%3d".repeat(size)}/`],
  ["slashes", 4_000, (size) => "/".repeat(size)],
  ["segments with an escape", 2_000, (size) => `/v1${"/%41".repeat(size)}`],
  ["an authority", 4_000, (size) => `http://${"a:".repeat(size)}`],
];

const messages: Texts = [
  ["incomplete keys", 2_000, (size) => "ckey_".repeat(size)],
  ["one long key", 2_000, (size) => `ckey_${"a".repeat(size)}`],
  ["paths", 2_000, (size) => "/a".repeat(size)],
  ["slashes", 2_000, (size) => "/".repeat(size)],
  ["a statement", 2_000, (size) => `select ${" -".repeat(size)}`],
  ["white space", 2_000, (size) => " ".repeat(size)],
];

const texts: Texts = [
  ["digits", 4_000, (size) => "1".repeat(size)],
  ["zeros", 4_000, (size) => "0".repeat(size)],
  ["commas", 4_000, (size) => ",".repeat(size)],
  ["control characters", 4_000, (size) => `${"a".repeat(size)}\u0001`],
  ["labels", 2_000, (size) => "\u00e9.".repeat(size)],
];

export const requestCases: readonly DoublingCase[] = [
  ...casesOf("query: parseQuery", (text) => resultOrError(() => parseQuery(text)), queries),
  ...casesOf("request-target: readTarget", (text) => resultOrError(() => readTarget(text, protocols)), targets),
  ...casesOf("redact: redact", redact, messages),
  ...casesOf("redact: redactMessage", redactMessage, messages),
  ...casesOf("parameters: parseText", parseText, texts),
  ...casesOf("parameters: parseTokenId", parseTokenId, texts),
  ...casesOf("parameters: parseAddress", parseAddress, texts),
  ...casesOf("parameters: parseList", (text) => parseList(text, 100, "text", parseText), texts),
  ...casesOf("parameters: numerals", (text) => [readDecimal(text), readInteger(text), readHexNumeral(text)], texts),
  ...casesOf("credentials: readKey", (text) => resultOrError(() => readKey(text, {})), [
    ["spaces", 2_000, (size) => `Bearer${" ".repeat(size)}\n${" ".repeat(size)}`],
    ["base64", 2_000, (size) => `Basic ${"Ojo6".repeat(size)}`],
  ]),
  ...casesOf("request-id: requestId", requestId, [["dots", 4_000, (size) => "a.".repeat(size)]]),
  ...casesOf("nearest-path: createPathHint", hint, [
    ["segments", 90, (size) => `/v1${"/a".repeat(size)}`],
    ["one long segment", 180, (size) => `/v1/${"ab".repeat(size / 2)}/x/`],
    ["a path that is too long for a hint", 2_000, (size) => `/v1/${"a/".repeat(size)}`],
  ]),
  ...casesOf("csv-cell: renderCell", (text) => [renderCell(text, "text"), renderCell(text, "number")], [
    ["white space and control characters", 4_000, (size) => " \u0001".repeat(size)],
    ["digits", 4_000, (size) => `${"1".repeat(size)}x`],
    ["quotes", 4_000, (size) => '"\r'.repeat(size)],
  ]),
  {
    name: "csv: csvRows for many rows",
    size: 5_000,
    input: (size) => ({ items: Array.from({ length: size }, () => ({ name: ' \t="1"' })) }),
    run: (data: object) => [...csvRows({ csv: columns, list: true, rows: "items" }, data)],
  },
  ...casesOf("terminal-text: escapeTerminal", (text) => [escapeTerminal(text), escapeTerminalLines(text)], [
    ["terminal control characters", 1_000, (size) => "\u001b\u009b\u202e\n".repeat(size)],
    ["plain text", 2_000, (size) => "a".repeat(size)],
  ]),
];
