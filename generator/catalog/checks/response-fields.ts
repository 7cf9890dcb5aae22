import { parseFieldType } from "../../../runtime/declarations/objects/field-type.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Draft, EndpointDraft, PaginationStyle } from "../draft.ts";
import { type Lookup, locationOf, type OperationDraft, parameterNamesOf, type ResolvedObject } from "../lookup.ts";

/** Checks that a response has the fields that its cost and its pagination style require. */
export function checkResponseFields(lookup: Lookup): Diagnostic[] {
  return [
    ...[...lookup.objects.values()].flatMap(checkRows),
    ...lookup.draft.endpoints.flatMap((endpoint) => checkCost(endpoint, lookup)),
    ...lookup.operations.flatMap((operation) => checkPaginationFields(operation, lookup)),
  ];
}

function checkRows({ draft, fields, isComplete }: ResolvedObject): Diagnostic[] {
  const { rows } = draft.value;
  if (rows === undefined) return [];
  const field = fields.get(rows);
  if (field === undefined ? !isComplete : field.value.type === undefined) return [];
  if (field?.value.type !== undefined && parseFieldType(field.value.type).list) return [];
  const lists = [...fields.values()].filter(({ value }) => value.type !== undefined && parseFieldType(value.type).list);
  const data = { name: rows, object: draft.name, expected: lists.map(({ name }) => name) };
  return [diagnostic("unknown-rows", locationOf(draft, "rows"), data)];
}

function checkCost(endpoint: EndpointDraft, lookup: Lookup): Diagnostic[] {
  const { cost } = endpoint.value;
  if (cost === undefined || cost === "not-stated") return [];
  const location = locationOf(endpoint, "cost", "per");
  if (cost.per === "item") return checkItemCost(endpoint, lookup);
  const query = lookup.draft.service && parameterNamesOf(endpoint, lookup.draft.service)?.query;
  if (!query) return [];
  if (cost.per === "block" && !(query.includes("starting-block") && query.includes("ending-block"))) {
    const data = {
      per: "block",
      reason: "the endpoint has no block range",
      expected: "the query parameters starting-block and ending-block",
    };
    return [diagnostic("uncountable-cost", location, data)];
  }
  if (cost.per === "30-days" && !query.includes("days")) {
    return [
      diagnostic("uncountable-cost", location, {
        per: "30 days",
        reason: "the endpoint has no query parameter days",
        expected: "the query parameter days",
      }),
    ];
  }
  return [];
}

function checkItemCost(endpoint: EndpointDraft, { objects }: Lookup): Diagnostic[] {
  const { response, list } = endpoint.value;
  const object = response === undefined ? undefined : objects.get(response);
  if (!object?.areRowsReadable || object.rows !== undefined || list === true || endpoint.invalidKeys.has("list")) return [];
  const data = { per: "item", reason: `${response} has no rows`, expected: "a response object with rows, or list: true" };
  return [diagnostic("uncountable-cost", locationOf(endpoint, "cost", "per"), data)];
}

function checkPaginationFields(operation: OperationDraft, { draft, objects }: Lookup): Diagnostic[] {
  const { response, pagination } = operation.value;
  const style: Draft<PaginationStyle> | undefined = pagination && draft.service?.pagination?.get(pagination.style);
  const object = response === undefined ? undefined : objects.get(response);
  if (style === undefined || response === undefined || object === undefined || !object.isComplete) return [];
  const location = locationOf(operation, "pagination", "style");
  const required = style.value.responseFields ?? [];
  const missing = required.filter((field) => !object.fields.has(field));
  const diagnostics = missing.map((field) =>
    diagnostic("missing-pagination-field", location, { style: style.name, response, field, expected: [...object.fields.keys()] }),
  );
  const lacksRows = required.length > 0 && object.rows === undefined && object.areRowsReadable;
  return lacksRows ? [...diagnostics, diagnostic("unpaged-response", location, { style: style.name, response })] : diagnostics;
}
