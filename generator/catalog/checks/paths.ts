import type { CatalogEndpoint, Place } from "../catalog.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { EndpointDraft } from "../draft.ts";
import { endpointsWithPath, findRepeated, type Lookup, placeOf, placeOfKey } from "../lookup.ts";
import { pathParameterNames } from "../parameters.ts";

const literalSegment = /^[A-Za-z0-9._~=-]+$/;
const parameterSegment = /^\{[A-Za-z][A-Za-z0-9]*\}$/;

/** Checks paths: malformed segments, undeclared parameters, page parameters without a matching style, and ambiguous paths. */
export function checkPaths(lookup: Lookup, community: readonly CatalogEndpoint[]): Diagnostic[] {
  const { draft } = lookup;
  const paths = endpointsWithPath(draft);
  return [
    ...paths.flatMap(({ endpoint, path }) => [...checkSegments(endpoint, path), ...checkParameters(endpoint, path, lookup)]),
    ...paths.flatMap(({ endpoint, path }) => checkPage(endpoint, path, lookup)),
    ...checkOverlaps(lookup, community),
    ...checkTemplate(lookup),
  ];
}

function malformedSegments(path: string): string[] {
  const segments = path.replace(/^\//, "").replace(/\/$/, "").split("/");
  return segments.filter((segment) => !literalSegment.test(segment) && !parameterSegment.test(segment));
}

function checkSegments(endpoint: EndpointDraft, path: string): Diagnostic[] {
  return malformedSegments(path).map((segment) => diagnostic("malformed-path", placeOf(endpoint, "path"), { segment }));
}

// Malformed segments are reported separately.
function wellFormedNames(path: string): string[] {
  return path.split("/").flatMap((segment) => (parameterSegment.test(segment) ? pathParameterNames(segment) : []));
}

function checkParameters(endpoint: EndpointDraft, path: string, { draft }: Lookup): Diagnostic[] {
  const place = placeOf(endpoint, "path");
  const names = wellFormedNames(path);
  const repeated = findRepeated(names, (name) => name).map(({ name }) => diagnostic("repeated-path-parameter", place, { name }));
  const known = draft.service?.pathParameters;
  if (!known || endpoint.broken.has("definedAs")) return repeated;
  const { definedAs = {} } = endpoint.value;
  const undeclared = (name: string, at: Place) => diagnostic("undeclared-path-parameter", at, { name, accepted: [...known.keys()] });
  const unknown = names.filter((name) => !Object.hasOwn(definedAs, name) && !known.has(name)).map((name) => undeclared(name, place));
  const renamed = Object.entries(definedAs).flatMap(([name, definition]) => {
    const data = { name, where: "a parameter of this path", accepted: names };
    if (!names.includes(name)) return [diagnostic("unknown-parameter", placeOfKey(endpoint, "definedAs", name), data)];
    return known.has(definition) ? [] : [undeclared(definition, placeOf(endpoint, "definedAs", name))];
  });
  return [...repeated, ...unknown, ...renamed];
}

function checkPage(endpoint: EndpointDraft, path: string, { draft }: Lookup): Diagnostic[] {
  const style = endpoint.value.pagination?.style;
  const styles = draft.service?.pagination;
  if (style === undefined || !styles?.has(style)) return [];
  const names = wellFormedNames(path);
  return names.flatMap((name) => {
    const accepted = [...styles.values()].filter((candidate) => candidate.value.path === name).map((candidate) => candidate.name);
    if (accepted.length === 0 || accepted.includes(style)) return [];
    return [diagnostic("style-path", placeOf(endpoint, "path"), { name, style, accepted })];
  });
}

// A literal segment takes precedence over a parameter, so paths are ambiguous only if all their segments are of the same kind.
// The router ignores case.
function shapeOf(path: string): string {
  return path.replace(/\{[^{}/]*\}/g, "{}").toLowerCase();
}

function checkOverlaps({ draft }: Lookup, community: readonly CatalogEndpoint[]): Diagnostic[] {
  const written = endpointsWithPath(draft).map(({ endpoint, path }) => ({ path, place: placeOf(endpoint, "path") }));
  const expanded = community.map(({ definition, place }) => ({ path: definition.path, place }));
  return findRepeated([...written, ...expanded], ({ path }) => shapeOf(path)).map(({ item, first }) =>
    item.path === first.path
      ? diagnostic("duplicate-path", item.place, { path: item.path, first: first.place })
      : diagnostic("ambiguous-path", item.place, { path: item.path, other: first.path, first: first.place }),
  );
}

function checkTemplate({ draft: { template } }: Lookup): Diagnostic[] {
  const path = template?.value.path;
  if (!template || path === undefined) return [];
  const place = placeOf(template, "path");
  const malformed = malformedSegments(path).map((segment) => diagnostic("malformed-path", place, { segment }));
  const names = wellFormedNames(path).sort().join();
  const right = names === "operation,protocol" && /^\/v1\/.*\/$/.test(path);
  return right || malformed.length > 0 ? malformed : [diagnostic("community-path", place, { path })];
}
