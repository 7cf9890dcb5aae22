import type { CatalogEndpoint } from "../catalog.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { EndpointDraft } from "../draft.ts";
import { findRepeated, type Lookup, placeOf, placeOfKey } from "../lookup.ts";

/** Reports duplicate ids, rows, objects and protocols, and classes that conflict with an endpoint's other keys. */
export function checkIdentity({ draft }: Lookup, community: readonly CatalogEndpoint[]): Diagnostic[] {
  return [
    ...checkIds(draft.endpoints, community),
    ...findRepeated(draft.endpoints, (endpoint) => endpoint.value.row).map(({ item, first, name }) =>
      diagnostic("duplicate-row", placeOf(item, "row"), { row: name, first: placeOf(first, "row") }),
    ),
    ...findRepeated(draft.objects, (object) => object.name).map(({ item, first, name }) =>
      diagnostic("duplicate-object", placeOfKey(item), { name, first: placeOfKey(first) }),
    ),
    ...findRepeated(draft.protocols, (protocol) => protocol.value.protocol).map(({ item, first, name }) =>
      diagnostic("duplicate-protocol", placeOf(item, "protocol"), { protocol: name, first: placeOf(first, "protocol") }),
    ),
    ...checkProtocolFiles(draft.protocols),
    ...draft.endpoints.flatMap(checkClass),
  ];
}

// Ids and community handlers share one namespace.
function checkIds(endpoints: readonly EndpointDraft[], community: readonly CatalogEndpoint[]): Diagnostic[] {
  const written = endpoints.map((endpoint) => ({ id: endpoint.name, place: placeOfKey(endpoint) }));
  const taken = new Map(written.map(({ id, place }) => [id, place]));
  const expanded = community.flatMap((endpoint) => {
    const id = [endpoint.id, endpoint.handler].find((name) => taken.has(name));
    const first = id === undefined ? undefined : taken.get(id);
    return id === undefined || first === undefined ? [] : [diagnostic("duplicate-id", endpoint.place, { id, first })];
  });
  const repeated = findRepeated(written, ({ id }) => id);
  return [...repeated.map(({ item, first }) => diagnostic("duplicate-id", item.place, { id: item.id, first: first.place })), ...expanded];
}

function checkProtocolFiles(protocols: Lookup["draft"]["protocols"]): Diagnostic[] {
  return protocols.flatMap((draft) => {
    const { protocol } = draft.value;
    const expected = draft.source.file.replace(/^.*\//, "").replace(/\.yaml$/, "");
    if (protocol === undefined || protocol === expected) return [];
    return [diagnostic("misplaced-protocol", placeOf(draft, "protocol"), { protocol, expected })];
  });
}

function checkClass(endpoint: EndpointDraft): Diagnostic[] {
  const { class: name, row, addition } = endpoint.value;
  if (name === undefined || endpoint.broken.has("row") || endpoint.broken.has("addition")) return [];
  if (name === "C") return [diagnostic("misplaced-class", placeOf(endpoint, "class"))];
  const stray = (reason: string) => (row === undefined ? [] : [diagnostic("unexpected-row", placeOf(endpoint, "row"), { reason })]);
  if (name === "pricing") return stray("an endpoint of class pricing");
  if (addition === true) return stray("an addition");
  return row === undefined ? [diagnostic("missing-row", placeOfKey(endpoint), { class: name })] : [];
}
