import type { DeclaredField } from "../added-protocol.ts";
import type { ScalarType } from "./field-definition.ts";

/** The JSON Schema keywords (draft 2020-12, which OpenAPI 3.1 uses) that response schemas use. */
export type JsonSchema = {
  type?: JsonType | JsonType[];
  description?: string;
  format?: string;
  pattern?: string;
  enum?: (string | null)[];
  examples?: unknown[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  required?: string[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean;
  $ref?: string;
  const?: boolean;
  minimum?: number;
  maximum?: number;
};

type JsonType = "string" | "number" | "integer" | "boolean" | "array" | "object" | "null";

/** Formats are also patterns, so that a validator needs no format library. */
const scalars: Record<ScalarType, JsonSchema> = {
  string: { type: "string" },
  number: { type: "number" },
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  // RFC 3339, section 5.6, in UTC.
  timestamp: {
    type: "string",
    format: "date-time",
    pattern: "^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?Z$",
  },
  // A whole amount without a sign, a decimal point, an exponent or leading zeros.
  bigint: { type: "string", pattern: "^(0|[1-9][0-9]*)$" },
  address: { type: "string", pattern: "^0x[0-9a-f]{40}$" },
  hash: { type: "string", pattern: "^0x[0-9a-f]{64}$" },
  hex: { type: "string", pattern: "^0x[0-9a-f]*$" },
  // RFC 3986, section 3.1: a scheme, then any characters except white space.
  url: { type: "string", pattern: "^[A-Za-z][A-Za-z0-9+.-]*:\\S+$" },
  date: { type: "string", format: "date", pattern: "^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$" },
};

/** The schema of an object with exactly the given properties. */
export const closedObject = (description: string, properties: Record<string, JsonSchema>): JsonSchema => ({
  description,
  type: "object",
  required: Object.keys(properties),
  properties,
  additionalProperties: false,
});

/** The schema of an object's fields; `referenceOf` returns the reference to another object's schema. */
export const objectSchema = (description: string, fields: readonly DeclaredField[], referenceOf: (name: string) => string): JsonSchema =>
  closedObject(description, Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, referenceOf)])));

function fieldSchema(field: DeclaredField, referenceOf: (name: string) => string): JsonSchema {
  const { description } = field;
  if (field.object !== null) return objectField(field, referenceOf(field.object));
  const element: JsonSchema = { ...scalars[field.format as ScalarType], ...(field.values === null ? {} : { enum: [...field.values] }) };
  const schema: JsonSchema = field.list ? { type: "array", items: element } : element;
  return {
    description,
    ...(field.nullable ? orNull(schema) : schema),
    ...(field.example === undefined ? {} : { examples: [field.example] }),
  };
}

function objectField({ description, list, nullable }: DeclaredField, reference: string): JsonSchema {
  if (list) return { description, type: nullable ? ["array", "null"] : "array", items: { $ref: reference } };
  // A reference has no type to which null could be added.
  return nullable ? { description, anyOf: [{ $ref: reference }, { type: "null" }] } : { description, $ref: reference };
}

function orNull(schema: JsonSchema): JsonSchema {
  const type = typeof schema.type === "string" ? schema.type : "string";
  return { ...schema, type: [type, "null"], ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] }) };
}
