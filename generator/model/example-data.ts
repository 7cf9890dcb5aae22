import type { Field, ResponseObject } from "./model.ts";

/** Builds an object's example from the examples of its fields; lists have one element. */
export function exampleDataOf(
  objects: ReadonlyMap<string, ResponseObject>,
  name: string,
  ancestors: readonly string[] = [],
): Record<string, unknown> {
  const object = objects.get(name);
  if (object === undefined) throw new Error(`Unknown object ${name} in the model.`);
  const path = [...ancestors, name];
  return Object.fromEntries(object.fields.map((field) => [field.name, exampleOf(objects, field, path)]));
}

function exampleOf(objects: ReadonlyMap<string, ResponseObject>, field: Field, ancestors: readonly string[]): unknown {
  if ("scalar" in field.type)
    return field.list && field.example !== null && !Array.isArray(field.example) ? [field.example] : field.example;
  // A nested occurrence of the same object is null or an empty list: otherwise the example would be infinite.
  if (ancestors.includes(field.type.object)) return field.list ? [] : null;
  const element = exampleDataOf(objects, field.type.object, ancestors);
  return field.list ? [element] : element;
}
