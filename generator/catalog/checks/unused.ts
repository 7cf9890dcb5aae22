import { isScalarType, parseFieldType } from "../../../runtime/declarations/objects/field-type.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Draft } from "../draft.ts";
import { endpointsWithPath, type Lookup, locationOfKey, nearestNames } from "../lookup.ts";
import { definitionName, pathParameterNames } from "../parameters.ts";

/**
 * Reports unused objects, shared parameters, styles, network groups, domains and operations. So that one mistake causes one diagnostic, nothing is
 * reported if a use could not be read, and a misspelled name counts as a use of the nearest name.
 */
export function checkUnused(lookup: Lookup): Diagnostic[] {
  return [...checkObjects(lookup), ...checkDefinitions(lookup), ...checkOperations(lookup)];
}

function areUsesReadable(lookup: Lookup, keys: readonly string[]): boolean {
  const { draft, operations } = lookup;
  const areFilesComplete = (["endpoints", "template", "protocol", "service"] as const).every((kind) => !draft.incompleteKinds.has(kind));
  return areFilesComplete && operations.every((entry) => keys.every((key) => !entry.invalidKeys.has(key)));
}

function checkObjects(lookup: Lookup): Diagnostic[] {
  const { objects, operations, draft } = lookup;
  const isReadable = draft.objects.every(
    (object) => !object.invalidKeys.has("fields") && !object.invalidKeys.has("extends") && areTypesReadable(object.fields),
  );
  if (!isReadable || draft.incompleteKinds.has("objects") || !areUsesReadable(lookup, ["response"])) return [];
  const used = new Set<string>();
  const visit = (name: string): void => {
    const object = objects.get(name);
    if (object === undefined || used.has(name)) return;
    used.add(name);
    const types = [...object.draft.fields.values()].flatMap(({ value }) =>
      value.type === undefined ? [] : [parseFieldType(value.type).name],
    );
    const parents = object.draft.value.extends === undefined ? [] : [object.draft.value.extends];
    for (const next of nearestNames([...types.filter((type) => !isScalarType(type)), ...parents], objects.keys())) visit(next);
  };
  const responses = operations.flatMap((entry) => entry.value.response ?? []);
  for (const name of nearestNames(responses, objects.keys())) visit(name);
  return [...objects.values()]
    .filter((object) => !used.has(object.draft.name))
    .map((object) => diagnostic("unused-object", locationOfKey(object.draft), { name: object.draft.name }));
}

function areTypesReadable(fields: ReadonlyMap<string, Draft<unknown>>): boolean {
  return [...fields.values()].every((field) => !field.invalidKeys.has("type"));
}

function checkDefinitions(lookup: Lookup): Diagnostic[] {
  const { draft, operations } = lookup;
  const { service } = draft;
  if (service === null) return [];
  const styles = [...(service.pagination?.values() ?? [])];
  const areStylesReadable = styles.every((style) => !style.invalidKeys.has("query") && !style.invalidKeys.has("path"));
  const paths = endpointsWithPath(draft).flatMap(({ endpoint, path }) =>
    pathParameterNames(path).map((name) => definitionName(endpoint.value, name)),
  );
  const queries = operations.flatMap((entry) => (entry.value.query ?? []).map((use) => (typeof use === "string" ? use : use.name)));
  const find = (kind: string, section: string, names: Iterable<string> | undefined, used: Iterable<string>): Diagnostic[] => {
    const known = [...(names ?? [])];
    const usedNames = nearestNames(used, known);
    return known
      .filter((name) => !usedNames.has(name))
      .map((name) => diagnostic("unused-definition", locationOfKey(service, section, name), { kind, name }));
  };
  const when = (isReadable: boolean, check: () => Diagnostic[]) => (isReadable ? check() : []);
  return [
    ...when(areStylesReadable && areUsesReadable(lookup, ["path", "definedAs"]), () =>
      find("path parameter", "pathParameters", service.pathParameters?.keys(), [
        ...paths,
        ...styles.flatMap((style) => style.value.path ?? []),
      ]),
    ),
    ...when(areStylesReadable && service.value.commonQuery !== undefined && areUsesReadable(lookup, ["query"]), () =>
      find("query parameter", "queryParameters", service.queryParameters?.keys(), [
        ...queries,
        ...(service.value.commonQuery ?? []),
        ...styles.flatMap((style) => style.value.query ?? []),
      ]),
    ),
    ...when(areUsesReadable(lookup, ["pagination"]), () =>
      find(
        "pagination style",
        "pagination",
        service.pagination?.keys(),
        operations.flatMap((entry) => entry.value.pagination?.style ?? []),
      ),
    ),
    ...when(areUsesReadable(lookup, ["networks"]), () =>
      find(
        "network group",
        "networkGroups",
        namesOf(service.value.networkGroups),
        draft.endpoints.flatMap((endpoint) => endpoint.value.networks ?? []),
      ),
    ),
    ...when(
      areUsesReadable(lookup, []) &&
        (draft.template === null || draft.template.value.domain !== undefined) &&
        draft.endpoints.every((endpoint) => endpoint.domain !== null),
      () =>
        find("domain", "tags", namesOf(service.value.tags), [
          ...draft.endpoints.flatMap((endpoint) => endpoint.domain ?? []),
          ...(draft.template?.value.domain === undefined ? [] : [draft.template.value.domain]),
        ]),
    ),
  ];
}

function namesOf(section: Readonly<Record<string, unknown>> | undefined): string[] {
  return Object.keys(section ?? {});
}

function checkOperations({ draft }: Lookup): Diagnostic[] {
  const { template, protocols } = draft;
  const isReadable = !draft.incompleteKinds.has("protocol") && protocols.every((protocol) => !protocol.invalidKeys.has("operations"));
  if (template === null || !isReadable) return [];
  const used = nearestNames(
    protocols.flatMap((protocol) => Object.keys(protocol.value.operations ?? {})),
    template.operations.keys(),
  );
  return [...template.operations.values()]
    .filter((operation) => !used.has(operation.name))
    .map((operation) => diagnostic("unused-definition", locationOfKey(operation), { kind: "community operation", name: operation.name }));
}
