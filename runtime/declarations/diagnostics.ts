import { nearest, renderExpected } from "./nearest.ts";

/** A location in a file: lines and columns count from 1, columns in characters. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A name that is not one of the expected names. */
export interface Unknown {
  readonly name: string;
  readonly expected: readonly string[];
}

/** The diagnostics of declared protocols, with those of all YAML files, which the catalog has too. */
export const declarationMessages = {
  // Files and YAML
  "yaml-syntax": (data: { problem: string }) => data.problem,
  "duplicate-key": (data: { key: string; first: number }) =>
    `Duplicate key ${quote(data.key)}: first used in line ${data.first}, expected unique keys`,

  // Shapes
  "unknown-key": (data: Unknown) => unknown("key", data),
  "missing-key": (data: { key: string; expected: string }) => `Missing key ${quote(data.key)}: expected ${data.expected}`,
  "wrong-type": (data: { found: string; expected: string }) => `Invalid type: found ${data.found}, expected ${data.expected}`,
  "wrong-value": (data: { found: string; expected: string }) => `Invalid value: found ${data.found}, expected ${data.expected}`,
  "unknown-value": (data: Unknown) => unknown("value", data),
} as const;

/** The codes of diagnostics of declarations. */
type DeclarationCode = keyof typeof declarationMessages;

/** A problem in a file: its location, and a message with the expected values. All diagnostics are errors. */
export interface Diagnostic<Code extends string = DeclarationCode> extends SourceLocation {
  readonly code: Code;
  readonly message: string;
}

type Messages = Readonly<Record<string, (...data: never[]) => string>>;

/** A function that creates the diagnostics of a table: each message is built from the data that its code requires. */
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

/** Creates a diagnostic of a declaration. */
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

/** The message about an unknown name, with the expected names and the nearest of them. */
export function unknown(kind: string, { name, expected }: Unknown, reason = ""): string {
  return `Unknown ${kind} ${quote(name)}: ${reason}expected ${renderExpected(name, expected)}${suggestion(name, expected)}`;
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
