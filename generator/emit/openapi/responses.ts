import type { HeaderObject, HeadersObject, ReferenceObject, ResponseObject, ResponsesObject } from "openapi3-ts/oas31";
import { plannedStatus } from "../../model/errors.ts";
import type { Model, Operation } from "../../model/model.ts";
import { pascalCase } from "../../model/names.ts";
import { envelopeName, failureName, schemaPrefix } from "../schemas.ts";
import { csvExample } from "./csv.ts";

type Status = string;

const rateLimitHeaders = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy", "RateLimit"];
/** The headers of a failure, by status, in addition to the common ones. */
const failureHeaders: Readonly<Record<Status, readonly string[]>> = {
  "401": ["WWW-Authenticate"],
  "402": ["Retry-After", "RateLimit-Policy", "RateLimit"],
  "405": ["Allow"],
  "429": ["Retry-After", ...rateLimitHeaders],
  "503": ["Retry-After"],
};

/** The responses of an operation: success as JSON and CSV, and every possible failure. */
export function operationResponses(model: Model, operation: Operation): ResponsesObject {
  const statuses = Object.keys(model.service.errors).filter((status) => status !== plannedStatus || operation.status === "planned");
  const failures = statuses.sort().map((status) => [status, { $ref: `#/components/responses/${failureResponseName(model, status)}` }]);
  return { "200": success(model, operation), ...Object.fromEntries(failures) };
}

function success(model: Model, operation: Operation): ResponseObject {
  const isPaged = model.service.pagination[operation.style]?.responseFields.includes("pagination") === true;
  const hasWarning = model.objects.get(operation.response)?.fields.some((field) => field.name === "warning") === true;
  return {
    description: `${operation.summary}.`,
    headers: headerReferences(model, [
      "X-Credits",
      "X-Request-Id",
      ...(isPaged ? ["X-Total-Count", "X-Has-More"] : []),
      ...(hasWarning ? ["X-Warning"] : []),
      ...rateLimitHeaders,
    ]),
    content: {
      "application/json": {
        schema: { $ref: `${schemaPrefix}${envelopeName(operation.response, operation.list)}` },
        example: { data: operation.exampleData, error: false, error_message: null, error_code: null },
      },
      "text/csv": { schema: { type: "string" }, example: csvExample(operation) },
    },
  };
}

/** Every failure, by component name. */
export function failureResponses(model: Model): Record<string, ResponseObject> {
  const entries = Object.entries(model.service.errors).sort(([left], [right]) => Number(left) - Number(right));
  return Object.fromEntries(
    entries.map(([status, { description, example }]) => [
      failureResponseName(model, status),
      {
        description,
        headers: headerReferences(model, ["X-Request-Id", ...(failureHeaders[status] ?? [])]),
        content: {
          "application/json": {
            schema: { $ref: `${schemaPrefix}${failureName}` },
            example: { data: null, error: true, error_message: example, error_code: Number(status) },
          },
        },
      },
    ]),
  );
}

/** Converts `Bad request` to `BadRequest`. */
function failureResponseName(model: Model, status: Status): string {
  const title = model.service.errors[status]?.title ?? status;
  return title.split(/\s+/).map(pascalCase).join("");
}

function headerReferences({ service }: Model, names: readonly string[]): HeadersObject {
  const known = names.filter((name) => Object.hasOwn(service.headers, name));
  return Object.fromEntries(known.map((name): [string, ReferenceObject] => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The service's header components. */
export function headers({ service }: Model): Record<string, HeaderObject> {
  const entries = Object.entries(service.headers).map(([name, { type, description, example }]) => [
    name,
    { description, schema: { type }, example },
  ]);
  return Object.fromEntries(entries);
}
