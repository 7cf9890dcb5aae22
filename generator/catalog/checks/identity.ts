import type { CatalogOperation } from "../catalog.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { EndpointDraft } from "../draft.ts";
import { findDuplicates, type Lookup, locationOf, locationOfKey } from "../lookup.ts";

/** Reports duplicate ids, rows, objects and protocols, and classes that conflict with an endpoint's other keys. */
export function checkIdentity({ draft }: Lookup, communityOperations: readonly CatalogOperation[]): Diagnostic[] {
  return [
    ...checkIds(draft.endpoints, communityOperations),
    ...findDuplicates(draft.endpoints, (endpoint) => endpoint.value.row).map(({ item, first, name }) =>
      diagnostic("duplicate-row", locationOf(item, "row"), { row: name, first: locationOf(first, "row") }),
    ),
    ...findDuplicates(draft.objects, (object) => object.name).map(({ item, first, name }) =>
      diagnostic("duplicate-object", locationOfKey(item), { name, first: locationOfKey(first) }),
    ),
    ...findDuplicates(draft.protocols, (protocol) => protocol.value.protocol).map(({ item, first, name }) =>
      diagnostic("duplicate-protocol", locationOf(item, "protocol"), { protocol: name, first: locationOf(first, "protocol") }),
    ),
    ...findDuplicates(draft.protocols, (protocol) => protocol.value.name).map(({ item, first, name }) =>
      diagnostic("duplicate-name", locationOf(item, "name"), { name, first: locationOf(first, "name") }),
    ),
    ...checkProtocolFiles(draft.protocols),
    ...draft.endpoints.flatMap(checkClass),
  ];
}

// Ids and community handlers share one namespace.
function checkIds(endpoints: readonly EndpointDraft[], communityOperations: readonly CatalogOperation[]): Diagnostic[] {
  const declared = endpoints.map((endpoint) => ({ id: endpoint.name, location: locationOfKey(endpoint) }));
  const locations = new Map(declared.map(({ id, location }) => [id, location]));
  const expanded = communityOperations.flatMap((endpoint) => {
    const id = [endpoint.id, endpoint.handler].find((name) => locations.has(name));
    const first = id === undefined ? undefined : locations.get(id);
    return id === undefined || first === undefined ? [] : [diagnostic("duplicate-id", endpoint.location, { id, first })];
  });
  const duplicates = findDuplicates(declared, ({ id }) => id);
  return [
    ...duplicates.map(({ item, first }) => diagnostic("duplicate-id", item.location, { id: item.id, first: first.location })),
    ...expanded,
  ];
}

function checkProtocolFiles(protocols: Lookup["draft"]["protocols"]): Diagnostic[] {
  return protocols.flatMap((draft) => {
    const { protocol } = draft.value;
    const expected = draft.source.file.split("/").at(-2) ?? "";
    if (protocol === undefined || protocol === expected) return [];
    return [diagnostic("misplaced-protocol", locationOf(draft, "protocol"), { protocol, expected })];
  });
}

function checkClass(endpoint: EndpointDraft): Diagnostic[] {
  const { class: name, row, addition } = endpoint.value;
  if (name === undefined || endpoint.invalidKeys.has("row") || endpoint.invalidKeys.has("addition")) return [];
  if (name === "C") return [diagnostic("misplaced-class", locationOf(endpoint, "class"))];
  const requireNoRow = (subject: string) =>
    row === undefined ? [] : [diagnostic("unexpected-row", locationOf(endpoint, "row"), { subject })];
  if (name === "pricing") return requireNoRow("an endpoint of class pricing");
  if (addition === true) return requireNoRow("an addition");
  return row === undefined ? [diagnostic("missing-row", locationOfKey(endpoint), { class: name })] : [];
}
