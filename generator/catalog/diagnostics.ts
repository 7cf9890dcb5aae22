import type { Place } from "./catalog.ts";
import { nearest, renderAccepted } from "./nearest.ts";

interface Unknown {
  readonly name: string;
  readonly accepted: readonly string[];
}

/** Every diagnostic of a catalog: its code, and the message built from its data. */
const sentences = {
  // Files and YAML
  "yaml-syntax": (data: { problem: string }) => data.problem,
  "missing-file": (data: { path: string }) =>
    `the catalog has no ${data.path}; accepted: one service.yaml, endpoints/, objects/ and community/`,
  "unknown-file": (data: { accepted: readonly string[] }) => `this file is not part of the catalog; accepted: ${data.accepted.join(", ")}`,
  "duplicate-key": (data: { key: string; first: number }) =>
    `${quote(data.key)} is a duplicate key, first used in line ${data.first}; accepted: each key once`,

  // Shapes
  "unknown-key": (data: Unknown) => unknown("is not a key of this map", data),
  "missing-key": (data: { key: string; accepted: string }) => `the key ${quote(data.key)} is missing; accepted: ${data.accepted}`,
  "wrong-type": (data: { sent: string; accepted: string }) => `${data.sent} is of the wrong type; accepted: ${data.accepted}`,
  "wrong-value": (data: { sent: string; accepted: string }) => `${data.sent} is not accepted here; accepted: ${data.accepted}`,
  "unknown-value": (data: Unknown) => unknown("is not one of the values", data),

  // References
  "unknown-response": (data: Unknown) => unknown("is not a response object", data),
  "unknown-type": (data: Unknown) => unknown("is neither a scalar type nor an object", data),
  "unknown-parent": (data: Unknown) => unknown("is not an object that can be extended", data),
  "unknown-parameter": (data: Unknown & { where: string }) => unknown(`is not ${data.where}`, data),
  "unknown-style": (data: Unknown) => unknown("is not a pagination style", data),
  "unknown-network-group": (data: Unknown) => unknown("is not a network group", data),
  "unknown-domain": (data: Unknown) => unknown("is not a domain (a tag of the service)", data),
  "unknown-operation": (data: Unknown) => unknown("is not an operation of the community template", data),

  // Names and numbers that must be unique
  "duplicate-id": (data: { id: string; first: Place }) =>
    `${quote(data.id)} is already defined at ${at(data.first)}; accepted: each id once`,
  "duplicate-object": (data: { name: string; first: Place }) =>
    `the object ${quote(data.name)} is already defined at ${at(data.first)}; accepted: each object once`,
  "duplicate-row": (data: { row: number; first: Place }) => `row ${data.row} is already used at ${at(data.first)}; accepted: each row once`,
  "duplicate-path": (data: { path: string; first: Place }) =>
    `${data.path} is already the path at ${at(data.first)}; accepted: each path once`,
  "duplicate-title": (data: { title: string; first: Place }) =>
    `${quote(data.title)} is already the title of a failure at ${at(data.first)}; accepted: each title once`,
  "duplicate-protocol": (data: { protocol: string; first: Place }) =>
    `${quote(data.protocol)} is already described at ${at(data.first)}; accepted: one file per protocol`,
  "misplaced-protocol": (data: { protocol: string; expected: string }) =>
    `${quote(data.protocol)} does not belong in this file; accepted: ${data.expected}, as the file is named`,

  // Classes
  "missing-row": (data: { class: string }) =>
    `an endpoint of class ${data.class} has neither a row nor addition: true; accepted: one of them`,
  "unexpected-row": (data: { reason: string }) => `${data.reason} has no row; accepted: no row`,
  "misplaced-class": () => "class C is reserved for the community template; accepted: A, B or pricing",

  // Paths
  "malformed-path": (data: { segment: string }) =>
    `the segment ${quote(data.segment)} is malformed; accepted: letters, digits and -._~= or one whole {parameter}`,
  "undeclared-path-parameter": (data: Unknown) => unknown("is not a path parameter of the service", data),
  "repeated-path-parameter": (data: { name: string }) => `{${data.name}} occurs twice in this path; accepted: each parameter once`,
  "ambiguous-path": (data: { path: string; other: string; first: Place }) =>
    `${data.path} is ambiguous with ${data.other} (${at(data.first)}); accepted: paths that differ in a literal segment or in length`,
  "community-path": (data: { path: string }) =>
    `${data.path} does not name the protocol and the operation; accepted: a path with one {protocol}, one {operation} and no other parameter`,
  "style-path": (data: { name: string; style: string; accepted: readonly string[] }) =>
    `{${data.name}} is a page parameter, but the pagination style ${quote(data.style)} has no page parameter in the path; accepted: the pagination style ${data.accepted.join(" or ")}`,

  // Parameters
  "repeated-parameter": (data: { name: string; reason: string }) => `${quote(data.name)} ${data.reason}; accepted: each parameter once`,
  "inapplicable-key": (data: { key: string; subject: string; accepted: string }) =>
    `${quote(data.key)} does not apply to ${data.subject}; accepted: ${data.accepted}`,
  "missing-values": (data: { subject: string }) => `${data.subject} has no values; accepted: a list of the accepted texts`,
  "empty-bounds": (data: { minimum: number; maximum: number }) =>
    `no number is at least ${data.minimum} and at most ${data.maximum}; accepted: a minimum that is not above the maximum`,
  "contradictory-rule": (data: { reason: string; accepted: string }) =>
    `this rule can never hold: ${data.reason}; accepted: ${data.accepted}`,
  "page-sizes": (data: { sent: string; accepted: string }) => `${data.sent} cannot be a page size here; accepted: ${data.accepted}`,
  "contradictory-authentication": (data: { type: string; accepted: string }) =>
    `the scheme does not define how a key of type ${data.type} is sent; accepted: ${data.accepted}`,

  // Counting
  "uncountable-cost": (data: { per: string; subject: string; accepted: string }) =>
    `a cost per ${data.per} cannot be counted: ${data.subject}; accepted: ${data.accepted}`,
  "unanswered-style": (data: { style: string; response: string; field: string; accepted: readonly string[] }) =>
    `the pagination style ${quote(data.style)} requires the field ${quote(data.field)}, which ${data.response} lacks; accepted: a response object with that field${suggestion(data.field, data.accepted)}`,
  "unpaged-response": (data: { style: string; response: string }) =>
    `the pagination style ${quote(data.style)} requires rows, and ${data.response} has none; accepted: a response object with rows`,
  "unknown-rows": (data: Unknown & { object: string }) => unknown(`is not a list field of ${data.object}`, data),

  // Examples
  "wrong-example": (data: { sent: string; accepted: string }) => `${data.sent} is not a valid example; accepted: ${data.accepted}`,
  "wrong-default": (data: { sent: string; accepted: string }) => `${data.sent} is not a valid default; accepted: ${data.accepted}`,
  "missing-example": (data: { type: string; accepted: string }) =>
    `a field of type ${data.type} has no example; accepted: ${data.accepted}`,
  "inapplicable-example": (data: { type: string }) =>
    `a field of type ${data.type} derives its example from the fields of the object; accepted: no example, or null if the field is nullable`,
  "misplaced-story": (data: { sent: string }) =>
    `${data.sent} refers to the story, which only examples of endpoints may do; accepted: a literal value`,

  // The graph of objects
  "unused-object": (data: { name: string }) =>
    `the object ${quote(data.name)} is unused; accepted: objects that the response of an endpoint contains`,
  "unused-definition": (data: { kind: string; name: string }) =>
    `the ${data.kind} ${quote(data.name)} is unused; accepted: only declarations that are used`,
  "circular-parent": (data: { circle: readonly string[] }) =>
    `the object extends itself: ${data.circle.join(" → ")}; accepted: parents without a cycle`,
  "circular-reference": (data: { circle: readonly string[] }) =>
    `the object always contains itself: ${data.circle.join(" → ")}; accepted: a list or a nullable field (?) somewhere in the cycle`,
  "conflicting-field": (data: { field: string; parent: string; type: string }) =>
    `the field ${quote(data.field)} is inherited from ${data.parent} with another type; accepted: ${data.type}, or another name`,
} as const;

/** The codes of diagnostics. */
export type DiagnosticCode = keyof typeof sentences;

/** The data of a diagnostic's message. */
export type DiagnosticData<Code extends DiagnosticCode> = Parameters<(typeof sentences)[Code]>;

/** A diagnostic of the catalog: its position, the fault, and the accepted values. All diagnostics are errors. */
export interface Diagnostic extends Place {
  readonly code: DiagnosticCode;
  readonly message: string;
}

/** Creates the diagnostic of a code; its message is built from the data that the code requires. */
export function diagnostic<Code extends DiagnosticCode>(code: Code, place: Place, ...data: DiagnosticData<Code>): Diagnostic {
  // The signature ties a code to its data, which the union of the table's functions cannot express.
  const sentence = sentences[code] as (...data: DiagnosticData<Code>) => string;
  return { file: place.file, line: place.line, column: place.column, code, message: sentence(...data) };
}

/** A diagnostic on one line: `spec/endpoints/tokens.yaml:12:7 unknown-response: …`. */
export function renderDiagnostic(finding: Diagnostic): string {
  return `${at(finding)} ${finding.code}: ${finding.message}`;
}

/** Sorts diagnostics by file and position and removes duplicates. */
export function sortDiagnostics(findings: readonly Diagnostic[]): Diagnostic[] {
  const sorted = [...findings].sort(
    (left, right) =>
      compare(left.file, right.file) || left.line - right.line || left.column - right.column || compare(left.code, right.code),
  );
  return sorted.filter((finding, index) => {
    const previous = sorted[index - 1];
    return previous === undefined || renderDiagnostic(previous) !== renderDiagnostic(finding);
  });
}

function unknown(sentence: string, { name, accepted }: Unknown): string {
  return `${quote(name)} ${sentence}; accepted: ${renderAccepted(name, accepted)}${suggestion(name, accepted)}`;
}

function suggestion(name: string, candidates: readonly string[]): string {
  const best = nearest(name, candidates);
  return best === null ? "" : `; nearest: ${best}`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

function at({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

// By code units, so that the order is the same in every locale.
function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
