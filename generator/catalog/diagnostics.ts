import {
  createDiagnostics,
  type Diagnostic as DiagnosticOf,
  declarationMessages,
  quote,
  renderLocation,
  type SourceLocation,
  suggestion,
  type UnknownName,
  unknownMessage,
} from "../../runtime/declarations/diagnostics.ts";

/** Every diagnostic of a catalog: its code, and the message built from its data. */
const messages = {
  ...declarationMessages,

  // Files
  "missing-file": (data: { path: string }) =>
    `Missing file ${data.path}: expected a catalog with service.yaml, endpoints/, objects/ and community/`,
  "unknown-file": (data: { expected: readonly string[] }) => `Unexpected file: expected ${data.expected.join(", ")}`,

  // References
  "unknown-response": (data: UnknownName) => unknownMessage("response object", data),
  "unknown-parent": (data: UnknownName) => unknownMessage("parent object", data),
  "unknown-style": (data: UnknownName) => unknownMessage("pagination style", data),
  "unknown-network-group": (data: UnknownName) => unknownMessage("network group", data),
  "unknown-domain": (data: UnknownName) => unknownMessage("domain", data, "not a tag of the service, "),

  // Names and numbers that must be unique
  "duplicate-id": (data: { id: string; first: SourceLocation }) =>
    `Duplicate id ${quote(data.id)}: already defined at ${renderLocation(data.first)}, expected unique ids`,
  "duplicate-object": (data: { name: string; first: SourceLocation }) =>
    `Duplicate object ${quote(data.name)}: already defined at ${renderLocation(data.first)}, expected unique names`,
  "duplicate-row": (data: { row: number; first: SourceLocation }) =>
    `Duplicate row ${data.row}: already used at ${renderLocation(data.first)}, expected unique rows`,
  "duplicate-path": (data: { path: string; first: SourceLocation }) =>
    `Duplicate path ${data.path}: already used at ${renderLocation(data.first)}, expected unique paths`,
  "duplicate-title": (data: { title: string; first: SourceLocation }) =>
    `Duplicate title ${quote(data.title)}: already used at ${renderLocation(data.first)}, expected unique titles`,
  "duplicate-protocol": (data: { protocol: string; first: SourceLocation }) =>
    `Duplicate protocol ${quote(data.protocol)}: already defined at ${renderLocation(data.first)}, expected one file per protocol`,
  "duplicate-name": (data: { name: string; first: SourceLocation }) =>
    `Duplicate name ${quote(data.name)}: already the name of the protocol at ${renderLocation(data.first)}, expected unique names`,

  // Classes
  "missing-row": (data: { class: string }) =>
    `Missing key row: an endpoint of class ${data.class} must have a row, expected row or addition: true`,
  "unexpected-row": (data: { subject: string }) => `Unexpected key row: ${data.subject} must not have a row, expected no row`,
  "misplaced-class": () => "Unexpected class C: reserved for the community template, expected A, B or pricing",

  // Paths
  "malformed-path": (data: { segment: string }) =>
    `Malformed path segment ${quote(data.segment)}: expected letters, digits and -._~=, or one whole {parameter}`,
  "undeclared-path-parameter": (data: UnknownName) => unknownMessage("path parameter", data),
  "repeated-path-parameter": (data: { name: string }) => `Duplicate path parameter {${data.name}}: expected each parameter once`,
  "ambiguous-path": (data: { path: string; other: string; first: SourceLocation }) =>
    `Ambiguous path ${data.path}: a request can also match ${data.other} (${renderLocation(data.first)}), expected paths that differ in a literal segment or in length`,
  "community-path": (data: { path: string }) =>
    `Invalid community path ${data.path}: expected one {protocol}, one {operation} and no other parameter`,
  "style-path": (data: { name: string; style: string; expected: readonly string[] }) =>
    `Unexpected path parameter {${data.name}}: the pagination style ${quote(data.style)} has no page in the path, expected the pagination style ${data.expected.join(" or ")}`,

  // Parameters
  "repeated-parameter": (data: { name: string; reason: string }) =>
    `Duplicate parameter ${quote(data.name)}: ${data.reason}, expected each parameter once`,
  "inapplicable-key": (data: { key: string; subject: string; expected: string }) =>
    `Unexpected key ${quote(data.key)}: not applicable to ${data.subject}, expected ${data.expected}`,
  "missing-values": (data: { subject: string }) => `Missing key values: required for ${data.subject}, expected a list of strings`,
  "empty-bounds": (data: { minimum: number; maximum: number }) =>
    `Invalid bounds: minimum ${data.minimum} is above maximum ${data.maximum}, expected a minimum that does not exceed the maximum`,
  "contradictory-rule": (data: { reason: string; expected: string }) => `Contradictory rule: ${data.reason}, expected ${data.expected}`,
  "page-sizes": (data: { found: string; expected: string }) => `Invalid page size: found ${data.found}, expected ${data.expected}`,
  "contradictory-authentication": (data: { type: string; expected: string }) =>
    `Contradictory authentication: the keys do not match the type ${data.type}, expected ${data.expected}`,

  // Counting
  "uncountable-cost": (data: { per: string; reason: string; expected: string }) =>
    `Cannot count the cost per ${data.per}: ${data.reason}, expected ${data.expected}`,
  "missing-pagination-field": (data: { style: string; response: string; field: string; expected: readonly string[] }) =>
    `Missing field ${quote(data.field)} in ${data.response}: required by the pagination style ${quote(data.style)}, expected a response object with that field${suggestion(data.field, data.expected)}`,
  "unpaged-response": (data: { style: string; response: string }) =>
    `Missing rows in ${data.response}: required by the pagination style ${quote(data.style)}, expected a response object with rows`,
  "unknown-rows": (data: UnknownName & { object: string }) => unknownMessage("rows", data, `not a list field of ${data.object}, `),

  // Examples
  "wrong-example": (data: { found: string; expected: string }) => `Invalid example: found ${data.found}, expected ${data.expected}`,
  "wrong-default": (data: { found: string; expected: string }) => `Invalid default: found ${data.found}, expected ${data.expected}`,
  "missing-example": (data: { type: string; expected: string }) =>
    `Missing example: required for a field of type ${data.type}, expected ${data.expected}`,
  "inapplicable-example": (data: { type: string }) =>
    `Unexpected example: the example of a field of type ${data.type} is derived from the object's fields, expected no example, or null if the field is nullable`,
  "misplaced-story": (data: { found: string }) =>
    `Misplaced story reference ${data.found}: only examples of endpoints may refer to the story, expected a literal value`,

  // The graph of objects
  "unused-object": (data: { name: string }) => `Unused object ${quote(data.name)}: expected an object that an endpoint's response contains`,
  "unused-definition": (data: { kind: string; name: string }) => `Unused ${data.kind} ${quote(data.name)}: expected at least one use`,
  "circular-parent": (data: { cycle: readonly string[] }) =>
    `Circular inheritance: ${data.cycle.join(" → ")}, expected an inheritance chain without cycles`,
  "circular-reference": (data: { cycle: readonly string[] }) =>
    `Circular reference: ${data.cycle.join(" → ")}, expected a list or a nullable field (?) in the cycle`,
  "conflicting-field": (data: { field: string; parent: string; type: string }) =>
    `Conflicting field ${quote(data.field)}: inherited from ${data.parent} with a different type, expected ${data.type} or a different name`,
} as const;

/** The codes of diagnostics. */
export type DiagnosticCode = keyof typeof messages;

/** A diagnostic of the catalog. */
export type Diagnostic = DiagnosticOf<DiagnosticCode>;

/** Creates the diagnostic for a code; its message is built from the data that the code requires. */
export const diagnostic = createDiagnostics(messages);
