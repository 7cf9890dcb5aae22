import type { Place } from "../catalog.ts";
import { scalarTypes } from "../definition.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Section, ServiceDraft } from "../draft.ts";
import { isScalarType, parseFieldType } from "../field-type.ts";
import { type Lookup, type OperationDraft, placeOf, placeOfKey, placeOfUse } from "../lookup.ts";

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

function checkResponse(operation: OperationDraft, { objects, knowsAllObjects }: Lookup): Diagnostic[] {
  const name = operation.value.response;
  if (name === undefined || !knowsAllObjects || objects.has(name)) return [];
  return [diagnostic("unknown-response", placeOf(operation, "response"), { name, accepted: [...objects.keys()] })];
}

function checkStyle(operation: OperationDraft, { draft }: Lookup): Diagnostic[] {
  const style = operation.value.pagination?.style;
  const styles = draft.service?.pagination;
  if (style === undefined || !styles || styles.has(style)) return [];
  return [diagnostic("unknown-style", placeOf(operation, "pagination", "style"), { name: style, accepted: [...styles.keys()] })];
}

function checkQuery(operation: OperationDraft, { draft }: Lookup): Diagnostic[] {
  const uses = operation.value.query ?? [];
  const names = uses.map((use) => (typeof use === "string" ? use : use.name));
  return checkParameter(draft.service?.queryParameters ?? null, "query", names, (index) => placeOfUse(operation, index));
}

function checkDomains({ draft }: Lookup): Diagnostic[] {
  const tags = draft.service?.value.tags;
  if (tags === undefined) return [];
  const written = draft.endpoints.map((endpoint) => ({ name: endpoint.domain, source: endpoint.source }));
  if (draft.template) written.push({ name: draft.template.value.domain ?? null, source: draft.template.source });
  return written.flatMap(({ name, source }) =>
    name === null || Object.hasOwn(tags, name)
      ? []
      : [diagnostic("unknown-domain", source.placeOf(["domain"]), { name, accepted: Object.keys(tags) })],
  );
}

function checkNetworks({ draft }: Lookup): Diagnostic[] {
  const groups = draft.service?.value.networkGroups;
  if (groups === undefined) return [];
  return draft.endpoints.flatMap((endpoint) => {
    const name = endpoint.value.networks;
    if (name === undefined || Object.hasOwn(groups, name)) return [];
    return [diagnostic("unknown-network-group", placeOf(endpoint, "networks"), { name, accepted: Object.keys(groups) })];
  });
}

function checkObjects({ draft, objects, knowsAllObjects }: Lookup): Diagnostic[] {
  if (!knowsAllObjects) return [];
  return draft.objects.flatMap((object) => {
    const parent = object.value.extends;
    const accepted = [...objects.keys()].filter((name) => name !== object.name);
    const findings = [...object.fields.values()].flatMap((field) => {
      const name = field.value.type === undefined ? undefined : parseFieldType(field.value.type).name;
      if (name === undefined || isScalarType(name) || objects.has(name)) return [];
      return [diagnostic("unknown-type", placeOf(field, "type"), { name, accepted: [...scalarTypes, ...objects.keys()] })];
    });
    if (parent === undefined || objects.has(parent)) return findings;
    return [...findings, diagnostic("unknown-parent", placeOf(object, "extends"), { name: parent, accepted })];
  });
}

function checkOperations({ draft }: Lookup): Diagnostic[] {
  const known = draft.template?.operations;
  if (known === undefined) return [];
  return draft.protocols.flatMap((protocol) =>
    Object.keys(protocol.value.operations ?? {})
      .filter((name) => !known.has(name))
      .map((name) => diagnostic("unknown-operation", placeOfKey(protocol, "operations", name), { name, accepted: [...known.keys()] })),
  );
}

function checkService(service: ServiceDraft): Diagnostic[] {
  const styles = [...(service.pagination?.values() ?? [])].flatMap((style) => [
    ...checkParameter(service.queryParameters, "query", style.value.query ?? [], (index) => placeOf(style, "query", index)),
    ...checkParameter(service.pathParameters, "path", style.value.path === undefined ? [] : [style.value.path], () =>
      placeOf(style, "path"),
    ),
  ]);
  const common = service.value.commonQuery ?? [];
  return [...styles, ...checkParameter(service.queryParameters, "query", common, (index) => placeOf(service, "commonQuery", index))];
}

function checkParameter(
  known: Section<unknown>,
  kind: "path" | "query",
  names: readonly string[],
  placeAt: (index: number) => Place,
): Diagnostic[] {
  if (known === null) return [];
  return names.flatMap((name, index) => {
    const data = { name, where: `a ${kind} parameter of the service`, accepted: [...known.keys()] };
    return known.has(name) ? [] : [diagnostic("unknown-parameter", placeAt(index), data)];
  });
}
