import type { SourceLocation } from "../../runtime/declarations/diagnostics.ts";
import { nearest } from "../../runtime/declarations/nearest.ts";
import type { YamlPath } from "../../runtime/declarations/yaml/yaml-source.ts";
import type { EndpointDefinition, FieldDefinition } from "./definition.ts";
import type { CatalogDraft, Draft, EndpointDraft, ObjectDraft, Section, ServiceDraft } from "./draft.ts";
import { pathParameterNames } from "./parameters.ts";

/** The part that endpoints share with the operations of the community template. */
export type OperationDraft = Draft<Pick<EndpointDefinition, "response" | "query" | "pagination">>;

/** An object with its inherited fields. */
export interface ResolvedObject {
  readonly draft: ObjectDraft;
  readonly fields: ReadonlyMap<string, Draft<FieldDefinition>>;
  readonly rows: string | undefined;
  /** False if the declaration of its rows could not be read. */
  readonly areRowsReadable: boolean;
  /** False if a part of it or of a parent could not be read, so a field that is missing here may still be declared. */
  readonly isComplete: boolean;
}

/** The draft with lookups that several checks share. */
export interface Lookup {
  readonly draft: CatalogDraft;
  readonly operations: readonly OperationDraft[];
  /** By name; the first of duplicates. */
  readonly objects: ReadonlyMap<string, ResolvedObject>;
  /** False if some objects could not be read, so a missing one may still be declared. */
  readonly areAllObjectsReadable: boolean;
}

/** Prepares a draft for the checks. */
export function createLookup(draft: CatalogDraft): Lookup {
  const drafts = new Map<string, ObjectDraft>();
  for (const object of draft.objects) if (!drafts.has(object.name)) drafts.set(object.name, object);
  const objects = new Map([...drafts].map(([name, object]) => [name, resolveObject(object, drafts, new Set())]));
  const operations = [...draft.endpoints, ...(draft.template?.operations.values() ?? [])];
  return { draft, operations, objects, areAllObjectsReadable: !draft.incompleteKinds.has("objects") };
}

/** The location of a value in an entry. */
export function locationOf(draft: Pick<Draft<unknown>, "source" | "path">, ...path: YamlPath): SourceLocation {
  return draft.source.locationOf([...draft.path, ...path]);
}

/** The location of a key in an entry, or the location of the entry's own key. */
export function locationOfKey(draft: Pick<Draft<unknown>, "source" | "path">, ...path: YamlPath): SourceLocation {
  return draft.source.locationOfKey([...draft.path, ...path]);
}

/** The location of the name where a query parameter is used. */
export function locationOfUse(operation: OperationDraft, index: number): SourceLocation {
  const use = operation.value.query?.[index];
  return typeof use === "object" ? locationOf(operation, "query", index, "name") : locationOf(operation, "query", index);
}

/** The items whose name was already used by an earlier item, each with the first item of that name. */
export function findDuplicates<T, Name>(items: readonly T[], nameOf: (item: T) => Name | undefined): { item: T; first: T; name: Name }[] {
  const seen = new Map<Name, T>();
  return items.flatMap((item) => {
    const name = nameOf(item);
    if (name === undefined) return [];
    const first = seen.get(name);
    if (first !== undefined) return [{ item, first, name }];
    seen.set(name, item);
    return [];
  });
}

/** The endpoints whose path could be read. */
export function endpointsWithPath(draft: CatalogDraft): { endpoint: EndpointDraft; path: string }[] {
  return draft.endpoints.flatMap((endpoint) => (endpoint.value.path === undefined ? [] : [{ endpoint, path: endpoint.value.path }]));
}

/** The names by which the rules and examples of an endpoint refer to its parameters. */
export interface ParameterNames {
  readonly path: readonly string[];
  readonly query: readonly string[];
}

/** An endpoint's parameter names, including the nearest known name for a misspelled one; null if a part could not be read or resolved. */
export function parameterNamesOf(
  operation: OperationDraft & { readonly value: { readonly path?: string } },
  service: ServiceDraft,
): ParameterNames | null {
  const { path = "", query, pagination } = operation.value;
  const { commonQuery } = service.value;
  const style = pagination && service.pagination?.get(pagination.style);
  if (operation.invalidKeys.has("path") || query === undefined || commonQuery === undefined || !style || style.invalidKeys.has("query"))
    return null;
  const listed = query.map((use) => (typeof use === "string" ? use : use.name));
  return {
    path: withNearestNames(pathParameterNames(path), service.pathParameters),
    query: withNearestNames([...listed, ...(style.value.query ?? []), ...commonQuery], service.queryParameters),
  };
}

function withNearestNames(names: readonly string[], known: Section<unknown>): string[] {
  return [...new Set([...names, ...nearestNames(names, known?.keys() ?? [])])];
}

/** The known names that the used names refer to: the exact name, or the nearest one if it is misspelled. */
export function nearestNames(used: Iterable<string>, known: Iterable<string>): ReadonlySet<string> {
  const candidates = [...known];
  const exact = new Set(candidates);
  return new Set([...used].map((name) => (exact.has(name) ? name : (nearest(name, candidates) ?? name))));
}

function resolveObject(object: ObjectDraft, drafts: ReadonlyMap<string, ObjectDraft>, descendants: ReadonlySet<string>): ResolvedObject {
  const parentName = object.value.extends;
  const parentDraft = parentName === undefined || descendants.has(parentName) ? undefined : drafts.get(parentName);
  const parent = parentDraft && resolveObject(parentDraft, drafts, new Set([...descendants, object.name]));
  const lacksParent = object.invalidKeys.has("extends") || (parentName !== undefined && parent === undefined);
  const isComplete = !lacksParent && !object.invalidKeys.has("fields") && (parent?.isComplete ?? true);
  return {
    draft: object,
    fields: new Map([...(parent?.fields ?? []), ...object.fields]),
    rows: object.value.rows ?? parent?.rows,
    areRowsReadable: isComplete && !object.invalidKeys.has("rows") && (parent?.areRowsReadable ?? true),
    isComplete,
  };
}
