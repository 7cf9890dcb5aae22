import type { SourceLocation } from "../../../runtime/declarations/diagnostics.ts";
import type { CatalogOperation } from "../catalog.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { EndpointDraft } from "../draft.ts";
import { endpointsWithPath, findDuplicates, type Lookup, locationOf, locationOfKey } from "../lookup.ts";
import { pathParameterNames } from "../parameters.ts";

const literalSegment = /^[A-Za-z0-9._~=-]+$/;
const parameterSegment = /^\{[A-Za-z][A-Za-z0-9]*\}$/;

/** Checks paths for malformed segments, undeclared parameters, page parameters that do not match the pagination style, and ambiguity. */
export function checkPaths(lookup: Lookup, communityOperations: readonly CatalogOperation[]): Diagnostic[] {
  const { draft } = lookup;
  const paths = endpointsWithPath(draft);
  return [
    ...paths.flatMap(({ endpoint, path }) => [...checkSegments(endpoint, path), ...checkParameters(endpoint, path, lookup)]),
    ...paths.flatMap(({ endpoint, path }) => checkPage(endpoint, path, lookup)),
    ...checkOverlaps(lookup, communityOperations),
    ...checkTemplate(lookup),
  ];
}

function malformedSegments(path: string): string[] {
  const segments = path.replace(/^\//, "").replace(/\/$/, "").split("/");
  return segments.filter((segment) => !literalSegment.test(segment) && !parameterSegment.test(segment));
}

function checkSegments(endpoint: EndpointDraft, path: string): Diagnostic[] {
  return malformedSegments(path).map((segment) => diagnostic("malformed-path", locationOf(endpoint, "path"), { segment }));
}

// Malformed segments are reported separately.
function wellFormedNames(path: string): string[] {
  return path.split("/").flatMap((segment) => (parameterSegment.test(segment) ? pathParameterNames(segment) : []));
}

function checkParameters(endpoint: EndpointDraft, path: string, { draft }: Lookup): Diagnostic[] {
  const location = locationOf(endpoint, "path");
  const names = wellFormedNames(path);
  const duplicates = findDuplicates(names, (name) => name).map(({ name }) => diagnostic("repeated-path-parameter", location, { name }));
  const known = draft.service?.pathParameters;
  if (!known || endpoint.invalidKeys.has("definedAs")) return duplicates;
  const { definedAs = {} } = endpoint.value;
  const undeclared = (name: string, at: SourceLocation) =>
    diagnostic("undeclared-path-parameter", at, { name, expected: [...known.keys()] });
  const unknown = names.filter((name) => !Object.hasOwn(definedAs, name) && !known.has(name)).map((name) => undeclared(name, location));
  const renamed = Object.entries(definedAs).flatMap(([name, definition]) => {
    const data = { name, kind: "a parameter of this path", expected: names };
    if (!names.includes(name)) return [diagnostic("unknown-parameter", locationOfKey(endpoint, "definedAs", name), data)];
    return known.has(definition) ? [] : [undeclared(definition, locationOf(endpoint, "definedAs", name))];
  });
  return [...duplicates, ...unknown, ...renamed];
}

function checkPage(endpoint: EndpointDraft, path: string, { draft }: Lookup): Diagnostic[] {
  const style = endpoint.value.pagination?.style;
  const styles = draft.service?.pagination;
  if (style === undefined || !styles?.has(style)) return [];
  const names = wellFormedNames(path);
  return names.flatMap((name) => {
    const expected = [...styles.values()].filter((candidate) => candidate.value.path === name).map((candidate) => candidate.name);
    if (expected.length === 0 || expected.includes(style)) return [];
    return [diagnostic("style-path", locationOf(endpoint, "path"), { name, style, expected })];
  });
}

// A literal segment takes precedence over a parameter, so paths are ambiguous only if all their segments are of the same kind.
// The router ignores case.
function shapeOf(path: string): string {
  return path.replace(/\{[^{}/]*\}/g, "{}").toLowerCase();
}

function checkOverlaps({ draft }: Lookup, communityOperations: readonly CatalogOperation[]): Diagnostic[] {
  const declared = endpointsWithPath(draft).map(({ endpoint, path }) => ({ path, location: locationOf(endpoint, "path") }));
  const expanded = communityOperations.map(({ definition, location }) => ({ path: definition.path, location }));
  return findDuplicates([...declared, ...expanded], ({ path }) => shapeOf(path)).map(({ item, first }) =>
    item.path === first.path
      ? diagnostic("duplicate-path", item.location, { path: item.path, first: first.location })
      : diagnostic("ambiguous-path", item.location, { path: item.path, other: first.path, first: first.location }),
  );
}

function checkTemplate({ draft: { template } }: Lookup): Diagnostic[] {
  const path = template?.value.path;
  if (!template || path === undefined) return [];
  const location = locationOf(template, "path");
  const malformed = malformedSegments(path).map((segment) => diagnostic("malformed-path", location, { segment }));
  const names = wellFormedNames(path).sort().join();
  const isValid = names === "operation,protocol" && /^\/v1\/.*\/$/.test(path);
  return isValid || malformed.length > 0 ? malformed : [diagnostic("community-path", location, { path })];
}
