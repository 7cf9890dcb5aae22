import { nearest, renderExpected } from "./nearest.ts";

/** A location in a file: lines and columns count from 1, columns in characters. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A name that is not one of the expected names. */
export interface UnknownName {
  readonly name: string;
  readonly expected: readonly string[];
}

const oneSelect = "one SELECT";

/** Diagnostics for declared protocols, and for YAML files in general, which the catalog shares. */
export const declarationMessages = {
  // Files and YAML
  "yaml-syntax": (data: { problem: string }) => data.problem,
  "duplicate-key": (data: { key: string; first: number }) =>
    `Duplicate key ${quote(data.key)}: first used in line ${data.first}, expected unique keys`,

  // Shapes
  "unknown-key": (data: UnknownName) => unknownMessage("key", data),
  "missing-key": (data: { key: string; expected: string }) => `Missing key ${quote(data.key)}: expected ${data.expected}`,
  "wrong-type": (data: { found: string; expected: string }) => `Invalid type: found ${data.found}, expected ${data.expected}`,
  "wrong-value": (data: { found: string; expected: string }) => `Invalid value: found ${data.found}, expected ${data.expected}`,
  "unquoted-hex": (data: { text: string }) =>
    `Invalid value: found the number ${data.text}, expected an address or bytes in quotation marks: ${quote(data.text)}`,
  "unknown-value": (data: UnknownName) => unknownMessage("value", data),

  // Declared protocols
  "misplaced-protocol": (data: { protocol: string; expected: string }) =>
    `Misplaced protocol ${quote(data.protocol)}: expected ${data.expected}, the name of the folder`,
  "unknown-parameter": (data: UnknownName & { kind: string }) => unknownMessage("parameter", data, `not ${data.kind}, `),
  "unknown-operation": (data: UnknownName & { isAdded: boolean }) =>
    unknownMessage(
      "community operation",
      data,
      data.isAdded
        ? "not in the community template, and without item, which operations that are not in the template require; "
        : "not in the community template, ",
    ),
  "unknown-network": (data: UnknownName) => unknownMessage("network", data, "neither a known network nor a configured chain, "),
  "unknown-contract": (data: UnknownName) => unknownMessage("contract", data),
  "unknown-table": (data: UnknownName) => unknownMessage("table", data, "not a table of the same contract, "),
  "unknown-read": (data: UnknownName) => unknownMessage("read", data),
  "listed-contracts": (data: { kind: string; found: string; expected: string }) =>
    `Conflict with listedBy of ${data.kind}: found ${data.found}, expected ${data.expected}`,
  "unknown-column": (data: UnknownName) => unknownMessage("column", data),
  "missing-sql": (data: UnknownName) => unknownMessage("SQL file", data, "not in the folder of the protocol or a shared one, "),
  "unused-sql": (data: { expected: readonly string[] }) =>
    `Unused SQL file: expected ${data.expected.join(", ") || "a file that an operation names"}`,
  "signature-syntax": (data: { text: string; problem: string; example: string }) =>
    `Invalid signature ${quote(data.text)}: ${data.problem}, expected a signature such as ${data.example}`,
  "unsupported-type": (data: { subject: string; type: string; expected: string }) =>
    `Unsupported type ${data.type} of ${data.subject}: expected ${data.expected}`,
  "unnamed-parameter": (data: { subject: string }) => `Missing name of ${data.subject}: expected a name`,
  "indexed-parameters": (data: { count: number }) => `Invalid event: found ${data.count} indexed parameters, expected at most 3`,
  "duplicate-event": (data: { event: string; first: SourceLocation }) =>
    `Duplicate event ${data.event}: already stored by ${renderLocation(data.first)}, expected one table per contract event`,
  "duplicate-table": (data: { name: string; first: SourceLocation }) =>
    `Duplicate table ${quote(data.name)}: already defined at ${renderLocation(data.first)}, expected unique table and read names`,
  "duplicate-column": (data: { name: string }) => `Duplicate column ${quote(data.name)}: expected each column once`,
  "duplicate-address": (data: { address: string; first: SourceLocation }) =>
    `Duplicate address ${data.address}: already listed at ${renderLocation(data.first)}, expected each contract once`,
  "reserved-name": (data: { name: string; reason: string; expected: string }) =>
    `Reserved name ${quote(data.name)}: ${data.reason}, expected ${data.expected}`,
  "conflicting-type": (data: { parameter: string; type: string; other: string }) =>
    `Conflicting type of parameter ${quote(data.parameter)}: ${data.type} here and ${data.other} in another variant, expected variants with the same types`,
  "unindexable-column": (data: { name: string; type: string }) =>
    `Unindexable column ${quote(data.name)}: values of type ${data.type} may be too long for an index, expected a fixed-size column`,
  "nullable-key": (data: { name: string; event: string }) =>
    `Nullable key column ${quote(data.name)}: it is null in rows of ${data.event}, expected a column with a parameter that every variant has`,
  "never-due": () => "Unscheduled read: it is never due, expected touchedBy, everyBlocks or both",
  "argument-count": (data: { found: number; expected: number }) =>
    `Invalid number of arguments: found ${data.found}, expected ${data.expected}, one for each parameter`,

  "too-many-calls": (data: { found: number; expected: number }) =>
    `Too many read calls: found ${data.found} for each contract and block, expected at most ${data.expected}`,
  "periodic-column": (data: { column: string }) =>
    `Invalid everyBlocks: column ${quote(data.column)} has values only at blocks with rows, expected only touchedBy`,
  // Protocols that an operator adds
  "no-protocols": () => "Empty directory: expected at least one folder with protocol.yaml",
  "taken-name": (data: { name: string; by: string }) =>
    `Duplicate name ${quote(data.name)}: it is already the id or the name of ${data.by}, expected another one`,
  "shared-table": (data: { table: string; first: SourceLocation }) =>
    `Shared table ${data.table}: the protocol at ${renderLocation(data.first)} has a database table with the same name, expected another id`,
  "template-operation": (data: { key: string; operation: string }) =>
    `Unexpected key ${quote(data.key)}: the template defines the item and parameters of ${data.operation}, expected no ${data.key}`,
  "unknown-type": (data: UnknownName) => unknownMessage("type", data),
  "unknown-item": (data: UnknownName) => unknownMessage("object", data),
  "underived-field": (data: { name: string; expected: string }) =>
    `Underived field ${quote(data.name)}: the server derives it from ${data.expected}, expected that field in the same object`,
  "recursive-object": (data: { name: string }) => `Recursive object ${data.name}: expected objects that do not contain themselves`,

  // SQL
  "sql-syntax": (data: { problem: string }) => `Invalid SQL: ${data.problem}, expected PostgreSQL syntax`,
  "sql-size": (data: { found: string; expected: string }) => `Oversized query: found ${data.found}, expected ${data.expected}`,
  "sql-statement": (data: { found: string }) => `Invalid statement: found ${data.found}, expected ${oneSelect}`,
  "refused-relation": (data: UnknownName) => refusedMessage("table", data),
  "refused-function": (data: UnknownName) => refusedMessage("function", data),
  "refused-operator": (data: UnknownName) => refusedMessage("operator", data),
  "refused-type": (data: UnknownName) => refusedMessage("type", data),
  "refused-syntax": (data: { what: string }) =>
    `Refused syntax: found ${data.what}, expected ${oneSelect} as described in docs/architecture/community.md`,
  "unnamed-column": () => "Unnamed column: expected a column reference, or an expression with AS and a field name",
  "missing-column": (data: { missing: readonly string[] }) =>
    `Missing columns ${data.missing.join(", ")}: expected a column for each field, NULL if the protocol has no value for it`,
  "surplus-column": (data: UnknownName) => unknownMessage("column", data, "not a field of the items, "),
  "missing-keys": (data: { missing: readonly string[] }) =>
    `Missing keys ${data.missing.join(", ")}: expected a key for each field of the list's objects, NULL if the protocol has no value for it`,
  "surplus-key": (data: UnknownName) => unknownMessage("key", data, "not a field of the list's objects, "),
  "repeated-key": (data: { name: string }) => `Duplicate key ${quote(data.name)}: expected each key once`,
  "unplannable-sql": (data: { problem: string }) => `Invalid statement: ${data.problem}, expected a statement that PostgreSQL can plan`,
  "uncreatable-tables": (data: { problem: string }) => `Invalid tables: ${data.problem}, expected tables that PostgreSQL can create`,
  "column-type": (data: { name: string; found: string; expected: string }) =>
    `Invalid type of column ${quote(data.name)}: found ${data.found}, expected ${data.expected}`,
  "unused-parameter": (data: { name: string }) => `Unused parameter :${data.name}: expected a query that depends on it`,
  "unpaged-query": (data: { expected: string }) => `Missing page: the rows are not one page in a fixed order, expected ${data.expected}`,
} as const;

/** The codes of declaration diagnostics. */
type DeclarationCode = keyof typeof declarationMessages;

/** A problem in a file: its location, and a message with the expected values. All diagnostics are errors. */
export interface Diagnostic<Code extends string = DeclarationCode> extends SourceLocation {
  readonly code: Code;
  readonly message: string;
}

type Messages = Readonly<Record<string, (...data: never[]) => string>>;

/** Returns a function that creates diagnostics from a message table: each message is built from the data that its code requires. */
export function createDiagnostics<Table extends Messages>(table: Table) {
  return <Code extends keyof Table & string>(
    code: Code,
    location: SourceLocation,
    ...data: Parameters<Table[Code]>
  ): Diagnostic<keyof Table & string> => {
    // The signature ties a code to its data, which the union of the table's functions cannot express.
    const message = table[code] as unknown as (...data: Parameters<Table[Code]>) => string;
    return { file: location.file, line: location.line, column: location.column, code, message: message(...data) };
  };
}

/** Creates a declaration diagnostic. */
export const diagnostic = createDiagnostics(declarationMessages);

/** A diagnostic on one line: `spec/endpoints/tokens.yaml:12:7 unknown-response: …`. */
export function renderDiagnostic(finding: Diagnostic<string>): string {
  return `${renderLocation(finding)} ${finding.code}: ${finding.message}`;
}

/** Sorts diagnostics by file and position and removes duplicates. */
export function sortDiagnostics<Code extends string>(findings: readonly Diagnostic<Code>[]): Diagnostic<Code>[] {
  const sorted = [...findings].sort(
    (left, right) =>
      compare(left.file, right.file) || left.line - right.line || left.column - right.column || compare(left.code, right.code),
  );
  return sorted.filter((finding, index) => {
    const previous = sorted[index - 1];
    return previous === undefined || renderDiagnostic(previous) !== renderDiagnostic(finding);
  });
}

/** The message about an unknown name, with the expected names and the nearest one. */
export function unknownMessage(kind: string, { name, expected }: UnknownName, reason = ""): string {
  return `Unknown ${kind} ${quote(name)}: ${reason}expected ${renderExpected(name, expected)}${suggestion(name, expected)}`;
}

function refusedMessage(kind: string, { name, expected }: UnknownName): string {
  return `Refused ${kind} ${quote(name)}: expected ${renderExpected(name, expected)}${suggestion(name, expected)}`;
}

/** The nearest candidate, as the end of a message. */
export function suggestion(name: string, candidates: readonly string[]): string {
  const best = nearest(name, candidates);
  return best === null ? "" : ` (nearest: ${best})`;
}

/** A name in quotation marks. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** A location as `file:line:column`. */
export function renderLocation({ file, line, column }: SourceLocation): string {
  return `${file}:${line}:${column}`;
}

// Compares code units, so that the order is the same in every locale.
function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
