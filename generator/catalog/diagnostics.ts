import type { Place } from "./catalog.ts";
import { nearest, renderAccepted } from "./nearest.ts";

interface Unknown {
  readonly name: string;
  readonly accepted: readonly string[];
}

/** Every way in which a catalog can be wrong, and the sentence that says so from its data. */
const sentences = {
  // Files and YAML
  "yaml-syntax": (data: { problem: string }) => data.problem,
  "missing-file": (data: { path: string }) =>
    `the catalog has no ${data.path}; accepted: one service.yaml, endpoints/, objects/ and community/`,
  "unknown-file": (data: { accepted: readonly string[] }) =>
    `no part of the catalog is read from here; accepted: ${data.accepted.join(", ")}`,
  "duplicate-key": (data: { key: string; first: number }) =>
    `${quote(data.key)} is already a key of this map in line ${data.first}; accepted: each key once`,

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
  "unknown-regime": (data: Unknown) => unknown("is not a pagination regime", data),
  "unknown-network-group": (data: Unknown) => unknown("is not a network group", data),
  "unknown-domain": (data: Unknown) => unknown("is not a domain (a tag of the service)", data),
  "unknown-operation": (data: Unknown) => unknown("is not an operation of the community template", data),

  // Names and numbers that may occur once
  "duplicate-id": (data: { id: string; first: Place }) =>
    `${quote(data.id)} is already defined at ${at(data.first)}; accepted: each id once`,
  "duplicate-object": (data: { name: string; first: Place }) =>
    `the object ${quote(data.name)} is already defined at ${at(data.first)}; accepted: each object once`,
  "duplicate-row": (data: { row: number; first: Place }) =>
    `row ${data.row} is already taken at ${at(data.first)}; accepted: each row once`,
  "duplicate-path": (data: { path: string; first: Place }) =>
    `${data.path} is already the path at ${at(data.first)}; accepted: each path once`,
  "duplicate-title": (data: { title: string; first: Place }) =>
    `${quote(data.title)} is already the title of a failure at ${at(data.first)}; accepted: each title once`,
  "duplicate-protocol": (data: { protocol: string; first: Place }) =>
    `${quote(data.protocol)} is already described at ${at(data.first)}; accepted: one file a protocol`,
  "misplaced-protocol": (data: { protocol: string; expected: string }) =>
    `${quote(data.protocol)} does not belong in this file; accepted: ${data.expected}, as the file is named`,

  // Classes
  "missing-row": (data: { class: string }) =>
    `an endpoint of class ${data.class} has neither a row nor addition: true; accepted: one of them`,
  "unexpected-row": (data: { reason: string }) => `${data.reason} has no row; accepted: no row`,
  "misplaced-class": () => "class C comes from the community template; accepted: A, B or pricing",

  // Paths
  "malformed-path": (data: { segment: string }) =>
    `the segment ${quote(data.segment)} is malformed; accepted: letters, digits and -._~= or one whole {parameter}`,
  "undeclared-path-parameter": (data: Unknown) => unknown("is not a path parameter of the service", data),
  "repeated-path-parameter": (data: { name: string }) => `{${data.name}} occurs twice in this path; accepted: each parameter once`,
  "ambiguous-path": (data: { path: string; other: string; first: Place }) =>
    `a request can match ${data.path} and ${data.other} (${at(data.first)}) in the same way; accepted: paths that differ in a literal segment or in length`,
  "community-path": (data: { path: string }) =>
    `${data.path} does not name the protocol and the operation; accepted: a path with one {protocol}, one {operation} and no other parameter`,
  "regime-path": (data: { name: string; regime: string; accepted: readonly string[] }) =>
    `{${data.name}} asks for a page, but the regime ${quote(data.regime)} has none in its path; accepted: the regime ${data.accepted.join(" or ")}`,

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
    `the scheme does not say how a key of type ${data.type} is sent; accepted: ${data.accepted}`,

  // Counting
  "uncountable-cost": (data: { per: string; subject: string; accepted: string }) =>
    `a cost per ${data.per} cannot be counted: ${data.subject}; accepted: ${data.accepted}`,
  "unanswered-regime": (data: { regime: string; response: string; field: string; accepted: readonly string[] }) =>
    `the regime ${quote(data.regime)} answers in ${quote(data.field)}, which ${data.response} lacks; accepted: a response object with that field${suggestion(data.field, data.accepted)}`,
  "unpaged-response": (data: { regime: string; response: string }) =>
    `the regime ${quote(data.regime)} cuts rows into pages, and ${data.response} has none; accepted: a response object with rows`,
  "unknown-rows": (data: Unknown & { object: string }) => unknown(`is not a list field of ${data.object}`, data),

  // Examples
  "wrong-example": (data: { sent: string; accepted: string }) => `${data.sent} does not fit as the example; accepted: ${data.accepted}`,
  "wrong-default": (data: { sent: string; accepted: string }) => `${data.sent} does not fit as the default; accepted: ${data.accepted}`,
  "missing-example": (data: { type: string; accepted: string }) =>
    `a field of type ${data.type} has no example; accepted: ${data.accepted}`,
  "inapplicable-example": (data: { type: string }) =>
    `a field of type ${data.type} takes its example from the fields of the object; accepted: no example, or null where it may be null`,
  "misplaced-story": (data: { sent: string }) =>
    `${data.sent} refers to the story, which only examples of endpoints do; accepted: a literal value`,

  // The graph of objects
  "unused-object": (data: { name: string }) =>
    `nothing uses the object ${quote(data.name)}; accepted: objects that an endpoint's answer consists of`,
  "unused-definition": (data: { kind: string; name: string }) =>
    `nothing uses the ${data.kind} ${quote(data.name)}; accepted: what is used`,
  "circular-parent": (data: { circle: readonly string[] }) =>
    `the object extends itself: ${data.circle.join(" → ")}; accepted: parents that lead to an end`,
  "circular-reference": (data: { circle: readonly string[] }) =>
    `the object contains itself without an end: ${data.circle.join(" → ")}; accepted: a list or a nullable field (?) somewhere in the circle`,
  "conflicting-field": (data: { field: string; parent: string; type: string }) =>
    `the field ${quote(data.field)} comes from ${data.parent} with another type; accepted: ${data.type}, or another name`,
} as const;

/** The codes of findings. */
export type DiagnosticCode = keyof typeof sentences;

/** What the sentence of a finding is made of. */
export type DiagnosticData<Code extends DiagnosticCode> = Parameters<(typeof sentences)[Code]>;

/** One finding in the catalog: where it is, what is wrong, what is accepted. All findings are errors. */
export interface Diagnostic extends Place {
  readonly code: DiagnosticCode;
  readonly message: string;
}

/** A finding of a code, its sentence built from the data that the code asks for. */
export function diagnostic<Code extends DiagnosticCode>(code: Code, place: Place, ...data: DiagnosticData<Code>): Diagnostic {
  // One code and its data belong together by the signature; the union of the table's functions cannot express that.
  const sentence = sentences[code] as (...data: DiagnosticData<Code>) => string;
  return { file: place.file, line: place.line, column: place.column, code, message: sentence(...data) };
}

/** A finding as one line: `spec/endpoints/tokens.yaml:12:7 unknown-response: …`. */
export function renderDiagnostic(finding: Diagnostic): string {
  return `${at(finding)} ${finding.code}: ${finding.message}`;
}

/** Findings in the order of files and places, each once. */
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
