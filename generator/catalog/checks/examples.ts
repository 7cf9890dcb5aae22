import type { SourceLocation } from "../../../runtime/declarations/diagnostics.ts";
import type { ScalarType } from "../../../runtime/declarations/objects/field-definition.ts";
import { type FieldType, isScalarType, parseFieldType } from "../../../runtime/declarations/objects/field-type.ts";
import { renderFound } from "../../../runtime/declarations/yaml/shape-problems.ts";
import type { Example, FieldDefinition, ParameterDefinition } from "../definition.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Draft, EndpointDraft, ServiceDraft } from "../draft.ts";
import { isStoryReference, type Mismatch, parameterMismatch, scalarMismatch, storyMismatch } from "../example-mismatch.ts";
import { type Lookup, locationOf, locationOfKey, type OperationDraft, parameterNamesOf } from "../lookup.ts";
import { applyUse, definitionName } from "../parameters.ts";

/** Reports examples and defaults that do not match their type: in shared parameters, their uses, endpoints, headers and fields. */
export function checkExamples({ draft, operations, objects }: Lookup): Diagnostic[] {
  const { service } = draft;
  const fields = draft.objects.flatMap((object) => [...object.fields.values()].flatMap((field) => checkField(field, objects)));
  if (service === null) return fields;
  const shared = [...(service.pathParameters?.values() ?? []), ...(service.queryParameters?.values() ?? [])];
  return [
    ...fields,
    ...shared.flatMap(checkShared),
    ...checkHeaders(service),
    ...operations.flatMap((entry) => checkUses(entry, service)),
    ...draft.endpoints.flatMap((endpoint) => checkEndpoint(endpoint, service)),
  ];
}

// Null if a key that determines the valid values could not be read: the parameter's examples are then not checked.
function definitionOf(parameter: Draft<ParameterDefinition> | undefined): ParameterDefinition | null {
  if (parameter === undefined || parameter.value.type === undefined) return null;
  if (["values", "minimum", "maximum", "maxItems"].some((key) => parameter.invalidKeys.has(key))) return null;
  const { minimum, maximum } = parameter.value;
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) return null;
  return { description: "", example: "", ...parameter.value, type: parameter.value.type };
}

function reportMismatch(
  code: "wrong-example" | "wrong-default",
  mismatch: Mismatch,
  value: unknown,
  location: () => SourceLocation,
): Diagnostic[] {
  return mismatch === null ? [] : [diagnostic(code, location(), { found: renderFound(value), expected: mismatch })];
}

function checkShared(parameter: Draft<ParameterDefinition>): Diagnostic[] {
  const definition = definitionOf(parameter);
  if (definition === null) return [];
  return (["example", "default"] as const).flatMap((key) => {
    const value = parameter.value[key];
    if (value === undefined) return [];
    if (isStoryReference(value)) return [diagnostic("misplaced-story", locationOf(parameter, key), { found: renderFound(value) })];
    return reportMismatch(`wrong-${key}`, parameterMismatch(definition, value), value, () => locationOf(parameter, key));
  });
}

function checkUses(operation: OperationDraft, service: ServiceDraft): Diagnostic[] {
  return (operation.value.query ?? []).flatMap((use, index) => {
    if (typeof use === "string") return [];
    const shared = definitionOf(service.queryParameters?.get(use.name));
    if (shared === null) return [];
    const definition = applyUse(shared, use);
    const value = definition.default;
    // Narrowed bounds or values may also exclude the shared default; the diagnostic is then at the use.
    if (value === undefined || (use.default === undefined && parameterMismatch(shared, value) !== null)) return [];
    return reportMismatch("wrong-default", parameterMismatch(definition, value), value, () =>
      use.default === undefined ? locationOf(operation, "query", index) : locationOf(operation, "query", index, "default"),
    );
  });
}

function checkEndpoint(endpoint: EndpointDraft, service: ServiceDraft): Diagnostic[] {
  const names = parameterNamesOf(endpoint, service);
  const { query = [], pagination, example } = endpoint.value;
  if (names === null) return [];
  const expected = [...names.path, ...names.query];
  return Object.entries(example ?? {}).flatMap(([name, value]) => {
    if (!expected.includes(name)) {
      const data = { name, kind: "a parameter of this endpoint", expected };
      return [diagnostic("unknown-parameter", locationOfKey(endpoint, "example", name), data)];
    }
    const location = () => locationOf(endpoint, "example", name);
    if (isStoryReference(value)) return reportMismatch("wrong-example", storyMismatch(value), value, location);
    const parameter = names.path.includes(name)
      ? service.pathParameters?.get(definitionName(endpoint.value, name))
      : service.queryParameters?.get(name);
    const shared = definitionOf(parameter);
    const use = query.find((candidate) => typeof candidate === "object" && candidate.name === name);
    if (shared === null) return [];
    const definition = typeof use === "object" && !names.path.includes(name) ? applyUse(shared, use) : shared;
    const mismatch = parameterMismatch(definition, value) ?? sizeMismatch(name, value, pagination?.sizes);
    return reportMismatch("wrong-example", mismatch, value, location);
  });
}

function sizeMismatch(name: string, value: Example, sizes: readonly number[] | undefined): Mismatch {
  return name !== "page-size" || sizes === undefined || sizes.some((size) => size === value) ? null : sizes.join(", ");
}

function checkHeaders(service: ServiceDraft): Diagnostic[] {
  return [...(service.headers?.values() ?? [])].flatMap((header) => {
    const { type, example } = header.value;
    if (type === undefined || example === undefined) return [];
    return reportMismatch("wrong-example", scalarMismatch(type, undefined, example), example, () => locationOf(header, "example"));
  });
}

function checkField(field: Draft<FieldDefinition>, objects: Lookup["objects"]): Diagnostic[] {
  const { type: text, example } = field.value;
  if (text === undefined || field.invalidKeys.has("example") || field.invalidKeys.has("values")) return [];
  const { name, list, nullable } = parseFieldType(text);
  if (isScalarType(name)) return [...checkValues(field, name), ...checkScalar(field, { text, name, list, nullable })];
  // An unknown type is reported elsewhere.
  if (example === undefined || (example === null && nullable) || !objects.has(name)) return [];
  return [diagnostic("inapplicable-example", locationOf(field, "example"), { type: text })];
}

function checkValues(field: Draft<FieldDefinition>, name: ScalarType): Diagnostic[] {
  if (field.value.values === undefined || name === "string") return [];
  const data = { key: "values", subject: `a field of type ${name}`, expected: "a field of type string" };
  return [diagnostic("inapplicable-key", locationOfKey(field, "values"), data)];
}

interface ScalarField extends FieldType {
  readonly text: string;
  readonly name: ScalarType;
}

function checkScalar(field: Draft<FieldDefinition>, { text, name, list, nullable }: ScalarField): Diagnostic[] {
  const { example, values: listed } = field.value;
  const values = name === "string" ? listed : undefined;
  const location = () => locationOf(field, "example");
  if (example === undefined) return [diagnostic("missing-example", locationOfKey(field), { type: text, expected: expectedExample(text) })];
  if (example === null && nullable) return [];
  if (isStoryReference(example)) return [diagnostic("misplaced-story", location(), { found: renderFound(example) })];
  if (!list) return reportMismatch("wrong-example", scalarMismatch(name, values, example), example, location);
  if (!Array.isArray(example)) return reportMismatch("wrong-example", expectedExample(text), example, location);
  return example.flatMap((element, index) =>
    reportMismatch("wrong-example", scalarMismatch(name, values, element), element, () => locationOf(field, "example", index)),
  );
}

function expectedExample(type: string): string {
  const { name, list } = parseFieldType(type);
  return list ? `a list of values of type ${name}` : `a value of type ${name}`;
}
