import { z } from "zod";

/** Any schema of the definition. */
export type Schema = z.core.$ZodType;

/** The schema of the value at a path; the innermost known schema if the path leads outside of it. */
export function innerSchema(schema: Schema, path: readonly (string | number)[]): Schema {
  let inner = schema;
  for (const step of path) {
    const next = stepInto(unwrap(inner), step);
    if (next === null) break;
    inner = next;
  }
  return inner;
}

/** The keys of a map with fixed keys, or of all such options of a union; none for other schemas. */
export function keysOf(schema: Schema): string[] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) return Object.keys(inner.shape);
  return inner instanceof z.ZodUnion ? [...new Set(inner.options.flatMap((option) => keysOf(option)))] : [];
}

/** The options of a union, in order. */
export function optionsOf(schema: Schema): readonly Schema[] {
  const inner = unwrap(schema);
  return inner instanceof z.ZodUnion ? inner.options : [];
}

/** Describes the values that a schema accepts. */
export function renderExpectedShape(schema: Schema): string {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodUnion) return inner.options.map(renderExpectedShape).join(", or ");
  if (inner instanceof z.ZodEnum) return inner.options.join(", ");
  if (inner instanceof z.ZodLiteral) return [...inner.values].map(String).join(", ");
  if (inner instanceof z.ZodObject) return `a map with the keys ${Object.keys(inner.shape).join(", ")}`;
  if (inner instanceof z.ZodTuple) return `a list of ${inner.def.items.length}`;
  if (inner instanceof z.ZodArray) return `a list of elements, each ${renderExpectedShape(inner.element)}`;
  if (inner instanceof z.ZodRecord) return "a map";
  if (inner instanceof z.ZodNumber) return inner.format === "safeint" ? "a whole number" : "a number";
  if (inner instanceof z.ZodBoolean) return "true or false";
  if (inner instanceof z.ZodNull) return "nothing";
  return "text";
}

function stepInto(schema: Schema, step: string | number): Schema | null {
  if (schema instanceof z.ZodObject) return schema.shape[step] ?? null;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodTuple) return schema.def.items[Number(step)] ?? null;
  return null;
}

function unwrap(schema: Schema): Schema {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) return unwrap(schema.unwrap());
  return schema;
}
