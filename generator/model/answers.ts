import type { Field, ResponseObject } from "./model.ts";

/** The documented answer of an object: the examples of its fields, one element a list. */
export function answerOf(
  objects: ReadonlyMap<string, ResponseObject>,
  name: string,
  above: readonly string[] = [],
): Record<string, unknown> {
  const object = objects.get(name);
  if (object === undefined) throw new Error(`The model has no object ${name}.`);
  const below = [...above, name];
  return Object.fromEntries(object.fields.map((field) => [field.name, exampleOf(objects, field, below)]));
}

function exampleOf(objects: ReadonlyMap<string, ResponseObject>, field: Field, above: readonly string[]): unknown {
  if ("scalar" in field.type)
    return field.list && field.example !== null && !Array.isArray(field.example) ? [field.example] : field.example;
  // An object within itself is null or an empty list the second time, else its example would never end.
  if (above.includes(field.type.object)) return field.list ? [] : null;
  const element = answerOf(objects, field.type.object, above);
  return field.list ? [element] : element;
}
