import type { Place } from "../catalog.ts";
import type { EndpointDefinition, ParameterDefinition } from "../definition.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Draft, EndpointDraft, ServiceDraft } from "../draft.ts";
import { findRepeated, type Lookup, nearestNames, type OperationDraft, placeOf, placeOfKey, placeOfUse } from "../lookup.ts";
import { applyUse } from "../parameters.ts";

type Keys = Partial<Omit<ParameterDefinition, "description" | "example">>;
type Type = ParameterDefinition["type"];

/** Checks shared parameters and their uses: keys that the type does not support, duplicate parameters, invalid page sizes. */
export function checkParameters(lookup: Lookup): Diagnostic[] {
  const { service } = lookup.draft;
  if (service === null) return [];
  const shared = [...(service.pathParameters?.values() ?? []), ...(service.queryParameters?.values() ?? [])];
  return [
    ...shared.flatMap(checkShared),
    ...[...(service.pathParameters?.values() ?? [])].flatMap(checkPathParameter),
    ...lookup.operations.flatMap((operation) => [...checkUses(operation, service), ...checkRepeated(operation, service)]),
    ...lookup.draft.endpoints.flatMap((endpoint) => checkSizes(endpoint, service)),
  ];
}

function checkShared(parameter: Draft<ParameterDefinition>): Diagnostic[] {
  const { type, values } = parameter.value;
  if (type === undefined) return [];
  const lacksValues = type === "choice" && values === undefined && !parameter.broken.has("values");
  const missing = lacksValues ? [diagnostic("missing-values", placeOfKey(parameter), { subject: "a parameter of type choice" })] : [];
  return [...missing, ...checkKeys(type, parameter.value, (key) => placeOfKey(parameter, key))];
}

function checkPathParameter(parameter: Draft<ParameterDefinition>): Diagnostic[] {
  const keys = (["required", "default"] as const).filter((key) => parameter.value[key] !== undefined);
  const data = { subject: "a path parameter", accepted: "query parameters, because path parameters are always required" };
  return keys.map((key) => diagnostic("inapplicable-key", placeOfKey(parameter, key), { key, ...data }));
}

const typesOfKey: Readonly<Record<"values" | "minimum" | "maximum" | "maxItems", readonly Type[]>> = {
  values: ["choice", "currency"],
  minimum: ["integer"],
  // The maximum of a text is its length.
  maximum: ["integer", "text"],
  maxItems: ["addressList", "topicList", "textList"],
};

function checkKeys(type: Type, keys: Keys, placeAt: (key: string) => Place): Diagnostic[] {
  const strays = (Object.keys(typesOfKey) as (keyof typeof typesOfKey)[])
    .filter((key) => keys[key] !== undefined && !typesOfKey[key].includes(type))
    .map((key) => {
      const accepted = `parameters of type ${typesOfKey[key].join(", ")}`;
      return diagnostic("inapplicable-key", placeAt(key), { key, subject: `a parameter of type ${type}`, accepted });
    });
  const { minimum, maximum } = keys;
  const empty = type === "integer" && minimum !== undefined && maximum !== undefined && minimum > maximum;
  const bounds = empty ? [diagnostic("empty-bounds", placeAt("minimum"), { minimum, maximum })] : [];
  if (keys.required !== true || keys.default === undefined) return [...strays, ...bounds];
  const data = { key: "default", subject: "a required parameter", accepted: "either required: true or a default" };
  return [...strays, ...bounds, diagnostic("inapplicable-key", placeAt("default"), data)];
}

function checkUses(operation: OperationDraft, service: ServiceDraft): Diagnostic[] {
  return (operation.value.query ?? []).flatMap((use, index) => {
    if (typeof use === "string") return [];
    const shared = service.queryParameters?.get(use.name)?.value;
    if (shared?.type === undefined) return [];
    const placeAt = (key: string) =>
      Object.hasOwn(use, key) ? placeOfKey(operation, "query", index, key) : placeOf(operation, "query", index);
    const whole = { description: "", example: "", ...shared, type: shared.type };
    // Faults of the shared parameter are reported there only.
    const inherited = new Set(checkKeys(shared.type, shared, placeAt).map(({ message }) => message));
    return checkKeys(shared.type, applyUse(whole, use), placeAt).filter(({ message }) => !inherited.has(message));
  });
}

function checkRepeated(operation: OperationDraft, service: ServiceDraft): Diagnostic[] {
  const names = (operation.value.query ?? []).map((use, index) => ({ name: typeof use === "string" ? use : use.name, index, use }));
  const twice = findRepeated(names, ({ name }) => name).map(({ item }) => ({ ...item, reason: "is already in this list" }));
  const common = (service.value.commonQuery ?? []) as readonly string[];
  const shared = names.filter(({ name, use }) => typeof use === "string" && common.includes(name));
  const paging = service.pagination?.get(operation.value.pagination?.style ?? "")?.value.query ?? [];
  const paged = names.filter(({ name, use }) => typeof use === "string" && paging.includes(name));
  return [
    ...twice,
    ...shared.map((entry) => ({ ...entry, reason: "is already accepted by every endpoint" })),
    ...paged.map((entry) => ({ ...entry, reason: "is already part of the pagination style" })),
  ].map(({ name, index, reason }) => diagnostic("repeated-parameter", placeOfUse(operation, index), { name, reason }));
}

function checkSizes(endpoint: EndpointDraft, service: ServiceDraft): Diagnostic[] {
  const { pagination } = endpoint.value;
  if (pagination === undefined || service.pagination?.has(pagination.style) !== true) return [];
  const sizes = [...(pagination.sizes ?? []).map((size, index) => ({ size, path: ["sizes", index] as const })), ...statedSize(pagination)];
  const paging = service.pagination.get(pagination.style);
  if (paging === undefined || paging.broken.has("query")) return [];
  const place = (path: readonly (string | number)[]) => placeOf(endpoint, "pagination", ...path);
  const pagingNames = nearestNames(paging.value.query ?? [], service.queryParameters?.keys() ?? []);
  if (!pagingNames.has("page-size")) {
    const accepted = "sizes where the style has the query parameter page-size";
    return sizes.slice(0, 1).map(({ size, path }) => diagnostic("page-sizes", place(path), { sent: String(size), accepted }));
  }
  const { minimum = 1, maximum = Number.MAX_SAFE_INTEGER } = service.queryParameters?.get("page-size")?.value ?? {};
  if (minimum > maximum) return [];
  return sizes.flatMap(({ size, path }) => {
    const among = path[0] === "sizes" || pagination.sizes === undefined || pagination.sizes.includes(size);
    if (size >= minimum && size <= maximum && among) return [];
    const accepted = among ? `a whole number from ${minimum} to ${maximum}` : `one of ${pagination.sizes?.join(", ")}`;
    return [diagnostic("page-sizes", place(path), { sent: String(size), accepted })];
  });
}

function statedSize({ size }: EndpointDefinition["pagination"]): { size: number; path: readonly (string | number)[] }[] {
  return size === undefined ? [] : [{ size, path: ["size"] }];
}
