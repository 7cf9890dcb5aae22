import type { SourceLocation } from "../../../runtime/declarations/diagnostics.ts";
import type { EndpointDefinition, ParameterDefinition } from "../definition.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Draft, EndpointDraft, ServiceDraft } from "../draft.ts";
import { findDuplicates, type Lookup, locationOf, locationOfKey, locationOfUse, nearestNames, type OperationDraft } from "../lookup.ts";
import { applyUse } from "../parameters.ts";

type Keys = Partial<Omit<ParameterDefinition, "description" | "example">>;
type Type = ParameterDefinition["type"];

/** Checks shared parameters and their uses: inapplicable keys, duplicate parameters and invalid page sizes. */
export function checkParameters(lookup: Lookup): Diagnostic[] {
  const { service } = lookup.draft;
  if (service === null) return [];
  const shared = [...(service.pathParameters?.values() ?? []), ...(service.queryParameters?.values() ?? [])];
  return [
    ...shared.flatMap(checkShared),
    ...[...(service.pathParameters?.values() ?? [])].flatMap(checkPathParameter),
    ...lookup.operations.flatMap((operation) => [...checkUses(operation, service), ...checkDuplicates(operation, service)]),
    ...lookup.draft.endpoints.flatMap((endpoint) => checkSizes(endpoint, service)),
  ];
}

function checkShared(parameter: Draft<ParameterDefinition>): Diagnostic[] {
  const { type, values } = parameter.value;
  if (type === undefined) return [];
  const lacksValues = type === "choice" && values === undefined && !parameter.invalidKeys.has("values");
  const missing = lacksValues ? [diagnostic("missing-values", locationOfKey(parameter), { subject: "a parameter of type choice" })] : [];
  return [...missing, ...checkKeys(type, parameter.value, (key) => locationOfKey(parameter, key))];
}

function checkPathParameter(parameter: Draft<ParameterDefinition>): Diagnostic[] {
  const keys = (["required", "default"] as const).filter((key) => parameter.value[key] !== undefined);
  const data = { subject: "a path parameter", expected: "a query parameter, because path parameters are always required" };
  return keys.map((key) => diagnostic("inapplicable-key", locationOfKey(parameter, key), { key, ...data }));
}

const typesOfKey: Readonly<Record<"values" | "minimum" | "maximum" | "maxItems", readonly Type[]>> = {
  values: ["choice", "currency"],
  minimum: ["integer"],
  // The maximum of a text limits its length.
  maximum: ["integer", "text"],
  maxItems: ["addressList", "topicList", "textList"],
};

function checkKeys(type: Type, keys: Keys, locationAt: (key: string) => SourceLocation): Diagnostic[] {
  const inapplicable = (Object.keys(typesOfKey) as (keyof typeof typesOfKey)[])
    .filter((key) => keys[key] !== undefined && !typesOfKey[key].includes(type))
    .map((key) => {
      const expected = `a parameter of type ${typesOfKey[key].join(" or ")}`;
      return diagnostic("inapplicable-key", locationAt(key), { key, subject: `a parameter of type ${type}`, expected });
    });
  const { minimum, maximum } = keys;
  const isEmpty = type === "integer" && minimum !== undefined && maximum !== undefined && minimum > maximum;
  const bounds = isEmpty ? [diagnostic("empty-bounds", locationAt("minimum"), { minimum, maximum })] : [];
  if (keys.required !== true || keys.default === undefined) return [...inapplicable, ...bounds];
  const data = { key: "default", subject: "a required parameter", expected: "either required: true or a default" };
  return [...inapplicable, ...bounds, diagnostic("inapplicable-key", locationAt("default"), data)];
}

function checkUses(operation: OperationDraft, service: ServiceDraft): Diagnostic[] {
  return (operation.value.query ?? []).flatMap((use, index) => {
    if (typeof use === "string") return [];
    const shared = service.queryParameters?.get(use.name)?.value;
    if (shared?.type === undefined) return [];
    const locationAt = (key: string) =>
      Object.hasOwn(use, key) ? locationOfKey(operation, "query", index, key) : locationOf(operation, "query", index);
    const definition = { description: "", example: "", ...shared, type: shared.type };
    // Problems of the shared parameter are reported only at its definition.
    const inherited = new Set(checkKeys(shared.type, shared, locationAt).map(({ message }) => message));
    return checkKeys(shared.type, applyUse(definition, use), locationAt).filter(({ message }) => !inherited.has(message));
  });
}

function checkDuplicates(operation: OperationDraft, service: ServiceDraft): Diagnostic[] {
  const names = (operation.value.query ?? []).map((use, index) => ({ name: typeof use === "string" ? use : use.name, index, use }));
  const listed = findDuplicates(names, ({ name }) => name).map(({ item }) => ({ ...item, reason: "already in this list" }));
  const commonNames = (service.value.commonQuery ?? []) as readonly string[];
  const common = names.filter(({ name, use }) => typeof use === "string" && commonNames.includes(name));
  const pagingNames = service.pagination?.get(operation.value.pagination?.style ?? "")?.value.query ?? [];
  const paging = names.filter(({ name, use }) => typeof use === "string" && pagingNames.includes(name));
  return [
    ...listed,
    ...common.map((entry) => ({ ...entry, reason: "already accepted by every endpoint" })),
    ...paging.map((entry) => ({ ...entry, reason: "already part of the pagination style" })),
  ].map(({ name, index, reason }) => diagnostic("repeated-parameter", locationOfUse(operation, index), { name, reason }));
}

function checkSizes(endpoint: EndpointDraft, service: ServiceDraft): Diagnostic[] {
  const { pagination } = endpoint.value;
  if (pagination === undefined || service.pagination?.has(pagination.style) !== true) return [];
  const sizes = [...(pagination.sizes ?? []).map((size, index) => ({ size, path: ["sizes", index] as const })), ...defaultSize(pagination)];
  const style = service.pagination.get(pagination.style);
  if (style === undefined || style.invalidKeys.has("query")) return [];
  const location = (path: readonly (string | number)[]) => locationOf(endpoint, "pagination", ...path);
  const pagingNames = nearestNames(style.value.query ?? [], service.queryParameters?.keys() ?? []);
  if (!pagingNames.has("page-size")) {
    const expected = "a pagination style with the query parameter page-size";
    return sizes.slice(0, 1).map(({ size, path }) => diagnostic("page-sizes", location(path), { found: String(size), expected }));
  }
  const { minimum = 1, maximum = Number.MAX_SAFE_INTEGER } = service.queryParameters?.get("page-size")?.value ?? {};
  if (minimum > maximum) return [];
  return sizes.flatMap(({ size, path }) => {
    const isListed = path[0] === "sizes" || pagination.sizes === undefined || pagination.sizes.includes(size);
    if (size >= minimum && size <= maximum && isListed) return [];
    const expected = isListed ? `a whole number from ${minimum} to ${maximum}` : `one of ${pagination.sizes?.join(", ")}`;
    return [diagnostic("page-sizes", location(path), { found: String(size), expected })];
  });
}

function defaultSize({ size }: EndpointDefinition["pagination"]): { size: number; path: readonly (string | number)[] }[] {
  return size === undefined ? [] : [{ size, path: ["size"] }];
}
