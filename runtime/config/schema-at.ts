import { z } from "zod";
import { configSchema } from "./config.ts";

/** The schema of the setting at a path in settings, without its default; null if there is no such setting. */
export function schemaAt(path: readonly PropertyKey[], settings: unknown): unknown {
  let schema: unknown = unwrap(configSchema);
  for (const [depth, step] of path.entries()) {
    if (schema instanceof z.ZodDiscriminatedUnion) schema = optionOf(schema, step, valueAt(settings, path.slice(0, depth)));
    if (schema instanceof z.ZodArray) schema = unwrap(schema.element);
    else if (schema instanceof z.ZodRecord) schema = unwrap(schema.valueType);
    else if (schema instanceof z.ZodObject) schema = unwrap((schema.shape as Record<PropertyKey, unknown>)[step]);
    else return null;
  }
  return schema ?? null;
}

function unwrap(schema: unknown): unknown {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return isWrapped ? unwrap(schema.unwrap()) : schema;
}

/**
 * Selects a section's schema by its kind; for an unknown kind, the first schema. For the kind setting itself, a schema that accepts all kinds.
 */
function optionOf({ options, def: { discriminator } }: z.ZodDiscriminatedUnion, step: PropertyKey, section: unknown): unknown {
  const objects = options.filter((option) => option instanceof z.ZodObject);
  const kindOf = ({ shape }: z.ZodObject): z.ZodType => unwrap((shape as Record<string, unknown>)[discriminator]) as z.ZodType;
  if (step === discriminator) return z.strictObject({ [discriminator]: z.union(objects.map(kindOf)) });
  return objects.find((object) => kindOf(object).safeParse(valueAt(section, [discriminator])).success) ?? objects[0];
}

/** The value at a path in settings; undefined if there is none. */
export const valueAt = (settings: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, step) => (typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[step] : undefined),
    settings,
  );

/** The names of a section's settings, in declaration order; empty if the section has no fixed names. */
export function settingNames(path: readonly PropertyKey[], settings: unknown): readonly string[] {
  const found = schemaAt(path, settings);
  const schema = found instanceof z.ZodDiscriminatedUnion ? optionOf(found, "", valueAt(settings, path)) : found;
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Describes the values that a schema accepts, as the end of a sentence: `an integer from 1 to 100`. */
export function describeAccepted(schema: unknown): string {
  if (schema instanceof z.ZodBoolean) return "true or false";
  if (schema instanceof z.ZodEnum) return alternatives(schema.options);
  if (schema instanceof z.ZodNumber) return describeNumber(schema);
  if (schema instanceof z.ZodString) return describeString(schema);
  if (schema instanceof z.ZodLiteral) return alternatives([...schema.values].map(String));
  if (schema instanceof z.ZodUnion) return alternatives([...new Set(schema.options.map(describeAccepted))]);
  if (schema instanceof z.ZodArray) return "a list";
  if (schema instanceof z.ZodRecord) return "a map";
  if (schema instanceof z.ZodObject) return "a map of settings";
  return "a valid value";
}

const alternatives = (values: readonly (string | number)[]): string =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;

function describeNumber(schema: z.ZodNumber): string {
  const { isInt, minValue, maxValue } = schema;
  const noun = isInt ? "an integer" : "a number";
  // Zod reports the bounds of safe integers if an integer has no declared bound.
  const bound = minValue === null || minValue <= Number.MIN_SAFE_INTEGER ? null : minValue;
  const max = maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? null : maxValue;
  const isExclusive = bound !== null && !schema.safeParse(bound).success;
  const min = isExclusive && isInt ? bound + 1 : bound;
  if (min === null) return max === null ? noun : `${noun} of at most ${max}`;
  if (isExclusive && !isInt) return max === null ? `${noun} above ${min}` : `${noun} above ${min}, at most ${max}`;
  return max === null ? `${noun} of at least ${min}` : `${noun} from ${min} to ${max}`;
}

function describeString({ minLength, maxLength }: z.ZodString): string {
  if (maxLength !== null) return `a string of ${minLength ?? 0} to ${maxLength} characters`;
  return minLength === null ? "a string" : `a string of at least ${minLength} characters`;
}
