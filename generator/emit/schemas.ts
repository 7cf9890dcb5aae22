import type { SchemaObject } from "openapi3-ts/oas31";
import { closedObject, objectSchema } from "../../runtime/declarations/objects/schema.ts";
import { itemFieldOf } from "../model/fields.ts";
import type { Model, ResponseObject } from "../model/model.ts";

/** The prefix of references to response schemas, which the OpenAPI document contains and the validators are compiled from. */
export const schemaPrefix = "#/components/schemas/";

/** The schemas of all objects and envelopes, by name. */
export function responseSchemas(model: Model): Map<string, SchemaObject> {
  const envelopes = model.operations.map(
    ({ response, list }) => [envelopeName(response, list), envelopeSchema(model, response, list)] as const,
  );
  return new Map([...[...model.objects.values()].map((object) => [object.name, schemaOf(object)] as const), ...envelopes]);
}

/** The schema name of a successful response. */
export const envelopeName = (response: string, list: boolean): string => `${response}${list ? "List" : ""}Envelope`;

/** The schema name of a failure. */
export const failureName = "Failure";

const schemaOf = ({ description, fields }: ResponseObject): SchemaObject =>
  objectSchema(
    description,
    fields.map((field) => ({ ...field, ...itemFieldOf(field) })),
    (name) => `${schemaPrefix}${name}`,
  );

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
