import type { Place } from "./catalog.ts";
import type { EndpointDefinition, FieldDefinition } from "./definition.ts";
import type { CatalogDraft, Draft, EndpointDraft, ObjectDraft, Section, ServiceDraft } from "./draft.ts";
import { nearest } from "./nearest.ts";
import { pathParameterNames } from "./parameters.ts";
import type { YamlPath } from "./yaml-source.ts";

/** The common part of endpoints and the operations of the community template. */
export type OperationDraft = Draft<Pick<EndpointDefinition, "response" | "query" | "pagination">>;

/** An object with its inherited fields. */
export interface ResolvedObject {
  readonly draft: ObjectDraft;
  readonly fields: ReadonlyMap<string, Draft<FieldDefinition>>;
  readonly rows: string | undefined;
  /** False if the declaration of its rows could not be read. */
  readonly knowsRows: boolean;
  /** False if a part of it or of a parent could not be read, so that an absent field may exist. */
  readonly complete: boolean;
}

/** The draft with lookups that several checks share. */
export interface Lookup {
  readonly draft: CatalogDraft;
  readonly operations: readonly OperationDraft[];
  /** By name; the first of duplicates. */
  readonly objects: ReadonlyMap<string, ResolvedObject>;
  /** False if an object may exist that could not be read. */
  readonly knowsAllObjects: boolean;
}

/** Prepares a draft for the checks. */
export function createLookup(draft: CatalogDraft): Lookup {
  const drafts = new Map<string, ObjectDraft>();
  for (const object of draft.objects) if (!drafts.has(object.name)) drafts.set(object.name, object);
  const objects = new Map([...drafts].map(([name, object]) => [name, resolveObject(object, drafts, new Set())]));
  const operations = [...draft.endpoints, ...(draft.template?.operations.values() ?? [])];
  return { draft, operations, objects, knowsAllObjects: !draft.obscured.has("objects") };
}

/** The position of a value in an entry. */
export function placeOf(draft: Pick<Draft<unknown>, "source" | "path">, ...path: YamlPath): Place {
  return draft.source.placeOf([...draft.path, ...path]);
}

/** The position of a key in an entry, or of the entry's key. */
export function placeOfKey(draft: Pick<Draft<unknown>, "source" | "path">, ...path: YamlPath): Place {
  return draft.source.placeOfKey([...draft.path, ...path]);
}

/** The position of the name in a use of a query parameter. */
export function placeOfUse(operation: OperationDraft, index: number): Place {
  const use = operation.value.query?.[index];
  return typeof use === "object" ? placeOf(operation, "query", index, "name") : placeOf(operation, "query", index);
}

/** The entries of a list whose name is a duplicate, with the position of the first. */
export function findRepeated<T, Name>(items: readonly T[], nameOf: (item: T) => Name | undefined): { item: T; first: T; name: Name }[] {
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

/** The endpoints whose path has the right shape. */
export function endpointsWithPath(draft: CatalogDraft): { endpoint: EndpointDraft; path: string }[] {
  return draft.endpoints.flatMap((endpoint) => (endpoint.value.path === undefined ? [] : [{ endpoint, path: endpoint.value.path }]));
}

/** The names of an endpoint's parameters, by which its rules and examples refer to them. */
export interface ParameterNames {
  readonly path: readonly string[];
  readonly query: readonly string[];
}

/** The parameters of an endpoint, misspelt names next to the nearest known ones; null if a part could not be read or does not resolve. */
export function parameterNamesOf(
  operation: OperationDraft & { readonly value: { readonly path?: string } },
  service: ServiceDraft,
): ParameterNames | null {
  const { path = "", query, pagination } = operation.value;
  const { commonQuery } = service.value;
  const style = pagination && service.pagination?.get(pagination.style);
  if (operation.broken.has("path") || query === undefined || commonQuery === undefined || !style || style.broken.has("query")) return null;
  const own = query.map((use) => (typeof use === "string" ? use : use.name));
  return {
    path: withNearestNames(pathParameterNames(path), service.pathParameters),
    query: withNearestNames([...own, ...(style.value.query ?? []), ...commonQuery], service.queryParameters),
  };
}

function withNearestNames(names: readonly string[], known: Section<unknown>): string[] {
  return [...new Set([...names, ...nearestNames(names, known?.keys() ?? [])])];
}

/** The known names for the names as written: the same name, or the nearest spelling. */
export function nearestNames(written: Iterable<string>, known: Iterable<string>): ReadonlySet<string> {
  const all = [...known];
  const exact = new Set(all);
  return new Set([...written].map((name) => (exact.has(name) ? name : (nearest(name, all) ?? name))));
}

function resolveObject(object: ObjectDraft, drafts: ReadonlyMap<string, ObjectDraft>, below: ReadonlySet<string>): ResolvedObject {
  const parentName = object.value.extends;
  const parentDraft = parentName === undefined || below.has(parentName) ? undefined : drafts.get(parentName);
  const parent = parentDraft && resolveObject(parentDraft, drafts, new Set([...below, object.name]));
  const missesParent = object.broken.has("extends") || (parentName !== undefined && parent === undefined);
  const complete = !missesParent && !object.broken.has("fields") && (parent?.complete ?? true);
  return {
    draft: object,
    fields: new Map([...(parent?.fields ?? []), ...object.fields]),
    rows: object.value.rows ?? parent?.rows,
    knowsRows: complete && !object.broken.has("rows") && (parent?.knowsRows ?? true),
    complete,
  };
}
