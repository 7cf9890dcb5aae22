import type { SourceLocation } from "../../../runtime/declarations/diagnostics.ts";
import { scalarTypes } from "../../../runtime/declarations/objects/field-definition.ts";
import { isScalarType, parseFieldType } from "../../../runtime/declarations/objects/field-type.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Section, ServiceDraft } from "../draft.ts";
import { type Lookup, locationOf, locationOfKey, locationOfUse, type OperationDraft } from "../lookup.ts";

/** Reports unresolved references: response objects, field types, parents, styles, network groups, domains, shared parameters, community operations. */
export function checkReferences(lookup: Lookup): Diagnostic[] {
  return [
    ...lookup.operations.flatMap((operation) => [
      ...checkResponse(operation, lookup),
      ...checkStyle(operation, lookup),
      ...checkQuery(operation, lookup),
    ]),
    ...checkDomains(lookup),
    ...checkNetworks(lookup),
    ...checkObjects(lookup),
    ...checkOperations(lookup),
    ...(lookup.draft.service === null ? [] : checkService(lookup.draft.service)),
  ];
}

function checkResponse(operation: OperationDraft, { objects, areAllObjectsReadable }: Lookup): Diagnostic[] {
  const name = operation.value.response;
  if (name === undefined || !areAllObjectsReadable || objects.has(name)) return [];
  return [diagnostic("unknown-response", locationOf(operation, "response"), { name, expected: [...objects.keys()] })];
}

function checkStyle(operation: OperationDraft, { draft }: Lookup): Diagnostic[] {
  const style = operation.value.pagination?.style;
  const styles = draft.service?.pagination;
  if (style === undefined || !styles || styles.has(style)) return [];
  return [diagnostic("unknown-style", locationOf(operation, "pagination", "style"), { name: style, expected: [...styles.keys()] })];
}

function checkQuery(operation: OperationDraft, { draft }: Lookup): Diagnostic[] {
  const uses = operation.value.query ?? [];
  const names = uses.map((use) => (typeof use === "string" ? use : use.name));
  return checkParameter(draft.service?.queryParameters ?? null, "query", names, (index) => locationOfUse(operation, index));
}

function checkDomains({ draft }: Lookup): Diagnostic[] {
  const tags = draft.service?.value.tags;
  if (tags === undefined) return [];
  const domains = draft.endpoints.map((endpoint) => ({ name: endpoint.domain, source: endpoint.source }));
  if (draft.template) domains.push({ name: draft.template.value.domain ?? null, source: draft.template.source });
  return domains.flatMap(({ name, source }) =>
    name === null || Object.hasOwn(tags, name)
      ? []
      : [diagnostic("unknown-domain", source.locationOf(["domain"]), { name, expected: Object.keys(tags) })],
  );
}

function checkNetworks({ draft }: Lookup): Diagnostic[] {
  const groups = draft.service?.value.networkGroups;
  if (groups === undefined) return [];
  return draft.endpoints.flatMap((endpoint) => {
    const name = endpoint.value.networks;
    if (name === undefined || Object.hasOwn(groups, name)) return [];
    return [diagnostic("unknown-network-group", locationOf(endpoint, "networks"), { name, expected: Object.keys(groups) })];
  });
}

function checkObjects({ draft, objects, areAllObjectsReadable }: Lookup): Diagnostic[] {
  if (!areAllObjectsReadable) return [];
  return draft.objects.flatMap((object) => {
    const parent = object.value.extends;
    const expected = [...objects.keys()].filter((name) => name !== object.name);
    const diagnostics = [...object.fields.values()].flatMap((field) => {
      const name = field.value.type === undefined ? undefined : parseFieldType(field.value.type).name;
      if (name === undefined || isScalarType(name) || objects.has(name)) return [];
      return [diagnostic("unknown-type", locationOf(field, "type"), { name, expected: [...scalarTypes, ...objects.keys()] })];
    });
    if (parent === undefined || objects.has(parent)) return diagnostics;
    return [...diagnostics, diagnostic("unknown-parent", locationOf(object, "extends"), { name: parent, expected })];
  });
}

function checkOperations({ draft }: Lookup): Diagnostic[] {
  const known = draft.template?.operations;
  if (known === undefined) return [];
  return draft.protocols.flatMap((protocol) =>
    Object.keys(protocol.value.operations ?? {})
      .filter((name) => !known.has(name))
      .map((name) =>
        diagnostic("unknown-operation", locationOfKey(protocol, "operations", name), { name, expected: [...known.keys()], isAdded: false }),
      ),
  );
}

function checkService(service: ServiceDraft): Diagnostic[] {
  const styles = [...(service.pagination?.values() ?? [])].flatMap((style) => [
    ...checkParameter(service.queryParameters, "query", style.value.query ?? [], (index) => locationOf(style, "query", index)),
    ...checkParameter(service.pathParameters, "path", style.value.path === undefined ? [] : [style.value.path], () =>
      locationOf(style, "path"),
    ),
  ]);
  const common = service.value.commonQuery ?? [];
  return [...styles, ...checkParameter(service.queryParameters, "query", common, (index) => locationOf(service, "commonQuery", index))];
}

function checkParameter(
  known: Section<unknown>,
  location: "path" | "query",
  names: readonly string[],
  locationAt: (index: number) => SourceLocation,
): Diagnostic[] {
  if (known === null) return [];
  return names.flatMap((name, index) => {
    const data = { name, kind: `a ${location} parameter of the service`, expected: [...known.keys()] };
    return known.has(name) ? [] : [diagnostic("unknown-parameter", locationAt(index), data)];
  });
}
