import type { OpenApiDocument } from "../openapi-document.ts";
import { accountPath } from "./usage-handler.ts";

const number = (description: string, example: number) => ({ type: "number", description, example });
const dateTime = (description: string, example: string) => ({ type: "string", format: "date-time", description, example });
const objectOf = (properties: Readonly<Record<string, object>>) => ({ type: "object", required: Object.keys(properties), properties });
const nullable = <Schema extends { readonly type: string }>(schema: Schema) => ({ ...schema, type: [schema.type, "null"] });

const period = (name: string, resetsAt: string) =>
  objectOf({
    quota: nullable(number(`Credits that the key may use per UTC ${name}; null if it has no quota.`, 1000)),
    used: number(`Credits that the key has used in this UTC ${name}, at most a second out of date.`, 12.5),
    calls: { type: "integer", description: "Successful responses.", example: 125 },
    resets_at: dateTime("The start of the next period.", resetsAt),
  });

const item = objectOf({
  operation: { type: "string", description: "The endpoint's operation id.", example: "getBlock" },
  day_calls: { type: "integer", example: 125 },
  day_credits: number("Credits used on this UTC day.", 12.5),
  month_calls: { type: "integer", example: 500 },
  month_credits: number("Credits used in this UTC month.", 50),
});

const usage = objectOf({
  day: period("day", "2026-01-02T00:00:00.000Z"),
  month: period("month", "2026-02-01T00:00:00.000Z"),
  expires_at: nullable(dateTime("When the key expires; null if it does not expire.", "2027-01-31T00:00:00.000Z")),
  items: { type: "array", description: "The endpoints that the key has used in this month.", items: item },
});

const operation = {
  operationId: "getAccountUsage",
  tags: ["account"],
  summary: "Usage of the key",
  description:
    "The credits that the request's key has used in this UTC day and month, and its quotas. Costs no credits, and works even if none are left.",
  responses: {
    "200": {
      description: "Usage of the key.",
      content: {
        "application/json": {
          schema: objectOf({
            data: usage,
            error: { type: "boolean" },
            error_message: { type: ["string", "null"] },
            error_code: { type: ["integer", "null"] },
          }),
        },
      },
    },
  },
};

/** Adds a key's usage page to the document. It is not a catalog operation, because it reads no index, is free and has no CSV. */
export function documentAccount(document: OpenApiDocument): OpenApiDocument {
  const { paths, tags } = document;
  const account = { name: "account", description: "The request's key." };
  return {
    ...document,
    ...(Array.isArray(tags) ? { tags: [...tags, account] } : {}),
    paths: { ...(paths as Readonly<Record<string, unknown>>), [accountPath]: { get: operation } },
  };
}
