import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Draft } from "../draft.ts";
import { isScalarType, parseFieldType } from "../field-type.ts";
import { endpointsWithPath, type Lookup, nearestNames, placeOfKey } from "../lookup.ts";
import { definitionName, pathParameterNames } from "../parameters.ts";

/**
 * Reports unused objects, shared parameters, styles, network groups, domains and operations. Nothing is reported if a use could not be read, and a
 * misspelt use counts as a use of the nearest name, so that one mistake causes one diagnostic.
 */
export function checkUnused(lookup: Lookup): Diagnostic[] {
  return [...checkObjects(lookup), ...checkDefinitions(lookup), ...checkOperations(lookup)];
}

function canSee(lookup: Lookup, keys: readonly string[]): boolean {
  const { draft, operations } = lookup;
  const files = (["endpoints", "template", "protocol", "service"] as const).every((kind) => !draft.obscured.has(kind));
  return files && operations.every((entry) => keys.every((key) => !entry.broken.has(key)));
}

function checkObjects(lookup: Lookup): Diagnostic[] {
  const { objects, operations, draft } = lookup;
  const readable = draft.objects.every(
    (object) => !object.broken.has("fields") && !object.broken.has("extends") && everyTypeIsKnown(object.fields),
  );
  if (!readable || draft.obscured.has("objects") || !canSee(lookup, ["response"])) return [];
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
    .map((object) => diagnostic("unused-object", placeOfKey(object.draft), { name: object.draft.name }));
}

function everyTypeIsKnown(fields: ReadonlyMap<string, Draft<unknown>>): boolean {
  return [...fields.values()].every((field) => !field.broken.has("type"));
}

function checkDefinitions(lookup: Lookup): Diagnostic[] {
  const { draft, operations } = lookup;
  const { service } = draft;
  if (service === null) return [];
  const styles = [...(service.pagination?.values() ?? [])];
  const stylesReadable = styles.every((style) => !style.broken.has("query") && !style.broken.has("path"));
  const paths = endpointsWithPath(draft).flatMap(({ endpoint, path }) =>
    pathParameterNames(path).map((name) => definitionName(endpoint.value, name)),
  );
  const queries = operations.flatMap((entry) => (entry.value.query ?? []).map((use) => (typeof use === "string" ? use : use.name)));
  const find = (kind: string, section: string, names: Iterable<string> | undefined, used: Iterable<string>): Diagnostic[] => {
    const known = [...(names ?? [])];
    const usedNames = nearestNames(used, known);
    return known
      .filter((name) => !usedNames.has(name))
      .map((name) => diagnostic("unused-definition", placeOfKey(service, section, name), { kind, name }));
  };
  const when = (seen: boolean, findings: () => Diagnostic[]) => (seen ? findings() : []);
  return [
    ...when(stylesReadable && canSee(lookup, ["path", "definedAs"]), () =>
      find("path parameter", "pathParameters", service.pathParameters?.keys(), [
        ...paths,
        ...styles.flatMap((style) => style.value.path ?? []),
      ]),
    ),
    ...when(stylesReadable && service.value.commonQuery !== undefined && canSee(lookup, ["query"]), () =>
      find("query parameter", "queryParameters", service.queryParameters?.keys(), [
        ...queries,
        ...(service.value.commonQuery ?? []),
        ...styles.flatMap((style) => style.value.query ?? []),
      ]),
    ),
    ...when(canSee(lookup, ["pagination"]), () =>
      find(
        "pagination style",
        "pagination",
        service.pagination?.keys(),
        operations.flatMap((entry) => entry.value.pagination?.style ?? []),
      ),
    ),
    ...when(canSee(lookup, ["networks"]), () =>
      find(
        "network group",
        "networkGroups",
        groupsOf(service.value.networkGroups),
        draft.endpoints.flatMap((endpoint) => endpoint.value.networks ?? []),
      ),
    ),
    ...when(
      canSee(lookup, []) &&
        (draft.template === null || draft.template.value.domain !== undefined) &&
        draft.endpoints.every((endpoint) => endpoint.domain !== null),
      () =>
        find("domain", "tags", groupsOf(service.value.tags), [
          ...draft.endpoints.flatMap((endpoint) => endpoint.domain ?? []),
          ...(draft.template?.value.domain === undefined ? [] : [draft.template.value.domain]),
        ]),
    ),
  ];
}

function groupsOf(section: Readonly<Record<string, unknown>> | undefined): string[] {
  return Object.keys(section ?? {});
}

function checkOperations({ draft }: Lookup): Diagnostic[] {
  const { template, protocols } = draft;
  const readable = !draft.obscured.has("protocol") && protocols.every((protocol) => !protocol.broken.has("operations"));
  if (template === null || !readable) return [];
  const used = nearestNames(
    protocols.flatMap((protocol) => Object.keys(protocol.value.operations ?? {})),
    template.operations.keys(),
  );
  return [...template.operations.values()]
    .filter((operation) => !used.has(operation.name))
    .map((operation) => diagnostic("unused-definition", placeOfKey(operation), { kind: "community operation", name: operation.name }));
}
