import type { SchemaObject } from "openapi3-ts/oas31";
import type { ScalarType } from "../catalog/definition.ts";
import type { Field, Model, ResponseObject } from "../model/model.ts";

/**
 * The JSON Schemas of responses (draft 2020-12, which OpenAPI 3.1 uses). The OpenAPI document contains them, and the validators are compiled from them.
 * Formats are also patterns, so that a validator needs no format library.
 */
export const schemaPrefix = "#/components/schemas/";

const scalars: Record<ScalarType, SchemaObject> = {
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

/** The schemas of all objects and envelopes, by name. */
export function responseSchemas(model: Model): Map<string, SchemaObject> {
  const envelopes = model.operations.map(
    ({ response, list }) => [envelopeName(response, list), envelopeSchema(model, response, list)] as const,
  );
  return new Map([...[...model.objects.values()].map((object) => [object.name, objectSchema(object)] as const), ...envelopes]);
}

/** The schema name of a successful response. */
export const envelopeName = (response: string, list: boolean): string => `${response}${list ? "List" : ""}Envelope`;

/** The schema name of a failure. */
export const failureName = "Failure";

function objectSchema(object: ResponseObject): SchemaObject {
  return closedObject(object.description, Object.fromEntries(object.fields.map((field) => [field.name, fieldSchema(field)])));
}

function fieldSchema(field: Field): SchemaObject {
  const { description } = field;
  if ("object" in field.type) return objectField(field, field.type.object);
  const element: SchemaObject = { ...scalars[field.type.scalar], ...(field.values === null ? {} : { enum: [...field.values] }) };
  const schema: SchemaObject = field.list ? { type: "array", items: element } : element;
  return { description, ...(field.nullable ? orNull(schema) : schema), examples: [field.example] };
}

function objectField({ description, list, nullable }: Field, name: string): SchemaObject {
  const reference = { $ref: `${schemaPrefix}${name}` };
  if (list) return { description, type: nullable ? ["array", "null"] : "array", items: reference };
  // A reference has no type to which null could be added.
  return nullable ? { description, anyOf: [reference, { type: "null" }] } : { description, ...reference };
}

function orNull(schema: SchemaObject): SchemaObject {
  const type = typeof schema.type === "string" ? schema.type : "string";
  return { ...schema, type: [type, "null"], ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] }) };
}

function envelopeSchema({ service }: Model, response: string, list: boolean): SchemaObject {
  const reference = { $ref: `${schemaPrefix}${response}` };
  return closedObject(`A successful response with ${response}.`, {
    data: list ? { type: "array", items: reference } : reference,
    error: { description: describe(service.envelope.error), type: "boolean", const: false },
    error_message: { description: describe(service.envelope.error_message), type: "null" },
    error_code: { description: describe(service.envelope.error_code), type: "null" },
  });
}

/** The schema of every failure. */
export function failureSchema({ service }: Model): SchemaObject {
  return closedObject("A failure.", {
    data: { description: describe(service.envelope.data), type: "null" },
    error: { description: describe(service.envelope.error), type: "boolean", const: true },
    error_message: { description: describe(service.envelope.error_message), type: "string" },
    error_code: { description: describe(service.envelope.error_code), type: "integer", minimum: 400, maximum: 599 },
  });
}

const describe = (entry: { readonly description: string } | undefined): string => entry?.description ?? "";

/** The schema of an object with exactly the given properties. */
function closedObject(description: string, properties: NonNullable<SchemaObject["properties"]>): SchemaObject {
  return { description, type: "object", required: Object.keys(properties), properties, additionalProperties: false };
}
