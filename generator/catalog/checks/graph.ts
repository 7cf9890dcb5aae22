import { isScalarType, parseFieldType } from "../../../runtime/declarations/objects/field-type.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type Lookup, locationOf, type ResolvedObject } from "../lookup.ts";

/** Reports objects that extend or contain themselves, and fields whose type differs from the inherited type. */
export function checkGraph(lookup: Lookup): Diagnostic[] {
  const { objects } = lookup;
  const parents = (object: ResolvedObject): Edge[] => {
    const parent = object.draft.value.extends;
    return parent === undefined ? [] : [{ to: parent, location: () => locationOf(object.draft, "extends") }];
  };
  return [
    ...findCycles(objects, parents).map(({ cycle, edge }) => diagnostic("circular-parent", edge.location(), { cycle })),
    ...findCycles(objects, requiredReferences).map(({ cycle, edge }) => diagnostic("circular-reference", edge.location(), { cycle })),
    ...[...objects.values()].flatMap((object) => checkOverrides(object, lookup)),
  ];
}

interface Edge {
  readonly to: string;
  location(): ReturnType<typeof locationOf>;
}

// Only a reference that is neither a list nor nullable requires a nested object: a list may be empty, and a nullable field may be null.
function requiredReferences({ fields }: ResolvedObject): Edge[] {
  return [...fields.values()].flatMap((field) => {
    if (field.value.type === undefined) return [];
    const { name, list, nullable } = parseFieldType(field.value.type);
    return list || nullable || isScalarType(name) ? [] : [{ to: name, location: () => locationOf(field, "type") }];
  });
}

/** Finds each cycle once, with the edge that closes it, by a depth-first search from every object. */
function findCycles(
  objects: ReadonlyMap<string, ResolvedObject>,
  edgesOf: (object: ResolvedObject) => readonly Edge[],
): { cycle: readonly string[]; edge: Edge }[] {
  const found: { cycle: readonly string[]; edge: Edge }[] = [];
  const done = new Set<string>();
  const walk = (name: string, trail: readonly string[]): void => {
    const object = objects.get(name);
    if (object === undefined || done.has(name)) return;
    const here = [...trail, name];
    for (const edge of edgesOf(object)) {
      const start = here.indexOf(edge.to);
      if (start >= 0) found.push({ cycle: [...here.slice(start), edge.to], edge });
      else walk(edge.to, here);
    }
    done.add(name);
  };
  for (const name of objects.keys()) walk(name, []);
  return found;
}

// A child may redefine a field only with the same type, so that code that reads the parent can read the child.
function checkOverrides({ draft }: ResolvedObject, { objects }: Lookup): Diagnostic[] {
  const parent = draft.value.extends === undefined ? undefined : objects.get(draft.value.extends);
  if (parent === undefined) return [];
  return [...draft.fields.values()].flatMap((field) => {
    const type = parent.fields.get(field.name)?.value.type;
    if (type === undefined || field.value.type === undefined || type === field.value.type) return [];
    return [diagnostic("conflicting-field", locationOf(field, "type"), { field: field.name, parent: parent.draft.name, type })];
  });
}
