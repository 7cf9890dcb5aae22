import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Draft, EndpointDraft, PaginationStyle } from "../draft.ts";
import { parseFieldType } from "../field-type.ts";
import { type Lookup, type OperationDraft, parameterNamesOf, placeOf, type ResolvedObject } from "../lookup.ts";

/** Checks that a response has the fields that its cost and its pagination depend on. */
export function checkCounting(lookup: Lookup): Diagnostic[] {
  return [
    ...[...lookup.objects.values()].flatMap(checkRows),
    ...lookup.draft.endpoints.flatMap((endpoint) => checkCost(endpoint, lookup)),
    ...lookup.operations.flatMap((operation) => checkAnswers(operation, lookup)),
  ];
}

function checkRows({ draft, fields, complete }: ResolvedObject): Diagnostic[] {
  const { rows } = draft.value;
  if (rows === undefined) return [];
  const field = fields.get(rows);
  if (field === undefined ? !complete : field.value.type === undefined) return [];
  if (field?.value.type !== undefined && parseFieldType(field.value.type).list) return [];
  const accepted = [...fields.values()].filter(({ value }) => value.type !== undefined && parseFieldType(value.type).list);
  const data = { name: rows, object: draft.name, accepted: accepted.map(({ name }) => name) };
  return [diagnostic("unknown-rows", placeOf(draft, "rows"), data)];
}

function checkCost(endpoint: EndpointDraft, lookup: Lookup): Diagnostic[] {
  const { cost } = endpoint.value;
  if (cost === undefined || cost === "not-stated") return [];
  const place = placeOf(endpoint, "cost", "per");
  if (cost.per === "item") return checkItemCost(endpoint, lookup);
  const query = lookup.draft.service && parameterNamesOf(endpoint, lookup.draft.service)?.query;
  if (!query) return [];
  if (cost.per === "block" && !(query.includes("starting-block") && query.includes("ending-block"))) {
    const data = {
      per: "block",
      subject: "the endpoint has no range of blocks",
      accepted: "the query parameters starting-block and ending-block",
    };
    return [diagnostic("uncountable-cost", place, data)];
  }
  if (cost.per === "30-days" && !query.includes("days")) {
    return [
      diagnostic("uncountable-cost", place, {
        per: "30 days",
        subject: "the endpoint has no query parameter days",
        accepted: "the query parameter days",
      }),
    ];
  }
  return [];
}

function checkItemCost(endpoint: EndpointDraft, { objects }: Lookup): Diagnostic[] {
  const { response, list } = endpoint.value;
  const object = response === undefined ? undefined : objects.get(response);
  if (!object?.knowsRows || object.rows !== undefined || list === true || endpoint.broken.has("list")) return [];
  const data = { per: "item", subject: `${response} has no rows`, accepted: "a response object with rows, or list: true" };
  return [diagnostic("uncountable-cost", placeOf(endpoint, "cost", "per"), data)];
}

function checkAnswers(operation: OperationDraft, { draft, objects }: Lookup): Diagnostic[] {
  const { response, pagination } = operation.value;
  const style: Draft<PaginationStyle> | undefined = pagination && draft.service?.pagination?.get(pagination.style);
  const object = response === undefined ? undefined : objects.get(response);
  if (style === undefined || response === undefined || object === undefined || !object.complete) return [];
  const place = placeOf(operation, "pagination", "style");
  const answers = style.value.answers ?? [];
  const lacking = answers.filter((field) => !object.fields.has(field));
  const findings = lacking.map((field) =>
    diagnostic("unanswered-style", place, { style: style.name, response, field, accepted: [...object.fields.keys()] }),
  );
  const cutsRows = answers.length > 0 && object.rows === undefined && object.knowsRows;
  return cutsRows ? [...findings, diagnostic("unpaged-response", place, { style: style.name, response })] : findings;
}
