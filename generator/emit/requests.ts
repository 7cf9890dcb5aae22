import type { Handler, Model, Operation, Parameter, Rule } from "../model/model.ts";
import { pascalCase } from "../model/names.ts";
import { defaultLiteral, isAddressParameter, parserOf, requestType, requiredText } from "./request-types.ts";
import { commentText, compileTemplate, listLiteral, literal, objectLiteral } from "./template.ts";

interface RequestView {
  readonly summary: string;
  readonly path: string;
  readonly type: string;
  readonly parse: string;
  readonly arguments: readonly string[];
  readonly fields: readonly { readonly name: string; readonly type: string }[];
  readonly lines: readonly string[];
  readonly values: readonly string[];
}

const renderRequests = compileTemplate<{ currencies: string; handlers: readonly RequestView[] }>("requests");

/** The name of a handler's request type. */
export const requestName = (handler: string): string => `${pascalCase(handler)}Request`;

/** The name of the function that parses a handler's request. */
export const parseName = (handler: string): string => `parse${pascalCase(handler)}`;

/** Emits the currencies, and for each handler a request type and its parser. */
export function emitRequests(model: Model): string {
  return renderRequests({ currencies: model.currencies.map(literal).join(" | "), handlers: model.handlers.map(viewOf) });
}

function viewOf(handler: Handler): RequestView {
  const { operation } = handler;
  const isCommunity = operation.protocol !== null;
  const fields = requestFields(operation);
  return {
    summary: commentText(operation.summary),
    path: isCommunity ? operation.path.replace(operation.protocol ?? "", "{protocol}") : operation.path,
    type: requestName(handler.id),
    parse: parseName(handler.id),
    arguments: ["raw: RawRequest", "parsers: Parsers", ...(isCommunity ? ["protocol: string"] : [])],
    fields: fields.map(({ name, type }) => ({ name, type })),
    lines: statements(operation),
    values: fields.map(({ name, value }) => (name === value ? name : `${name}: ${value}`)),
  };
}

interface RequestField {
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

/** The fields of a request: page number and size are one object, and a community request includes the protocol. */
function requestFields(operation: Operation): RequestField[] {
  const paging = pageParameters(operation);
  const plain = operation.parameters
    .filter((parameter) => paging === null || (parameter !== paging.number && parameter !== paging.size))
    .map((parameter) => ({ name: parameter.field, type: requestType(parameter), value: `parsedValue(${parameter.field})` }));
  const names = operation.sentNames ? operation.parameters.filter(({ type }) => type === "address").map(nameField) : [];
  const page = paging === null ? [] : [pageField(paging)];
  const protocol = operation.protocol === null ? [] : [{ name: "protocol", type: "string", value: "protocol" }];
  return [...protocol, ...plain, ...names, ...page];
}

/** The name that was sent instead of an address; null if an address was sent. */
const nameField = (parameter: Parameter): RequestField => ({
  name: `${parameter.field}Name`,
  type: "string | null",
  value: `sentName(${readName(parameter)})`,
});

interface PageParameters {
  readonly number: Parameter;
  readonly size: Parameter;
}

/** The page number and size; null if the pagination style has no size. */
function pageParameters(operation: Operation): PageParameters | null {
  const size = operation.parameters.find((parameter) => parameter.name === "page-size");
  const number = operation.parameters.find((parameter) => parameter.name === (operation.style === "path-page" ? "page" : "page-number"));
  return size === undefined || number === undefined ? null : { number, size };
}

function pageField({ number, size }: PageParameters): RequestField {
  return {
    name: "page",
    type: "{ readonly number: number; readonly size: number }",
    value: `{ number: parsedValue(${number.field}), size: parsedValue(${size.field}) }`,
  };
}

function statements(operation: Operation): string[] {
  const { parameters } = operation;
  const hasSize = parameters.some((parameter) => parameter.name === "page-size");
  // The format determines the maximum page size, so it is read first.
  const ordered = [...parameters].sort((left, right) => Number(left.name === "page-size") - Number(right.name === "page-size"));
  const reads = ordered.flatMap((parameter) => [
    ...(hasSize && parameter.name === "page-size" ? ['const csv = format.ok && format.value === "csv";'] : []),
    `const ${readName(parameter)} = ${readCall(parameter)};`,
  ]);
  const restricted = operation.networks === null ? [] : restriction(operation, operation.networks);
  const resolved = parameters.filter(isAddressParameter).map((parameter) => resolution(operation, parameter));
  return ["const reader = createReader(raw, parsers);", ...reads, ...restricted, ...operation.rules.map(ruleCall), ...resolved];
}

/** The variable of a parameter as it was sent; a sent address may be a name, so its resolved value has a separate variable. */
const readName = (parameter: Parameter): string => (isAddressParameter(parameter) ? `${parameter.field}Sent` : parameter.field);

function readCall(parameter: Parameter): string {
  const name = literal(parameter.name);
  if (parameter.in === "path") return `reader.path(${name}, ${parserOf(parameter)})`;
  if (parameter.required && parameter.default === null)
    return `reader.required(${name}, ${parserOf(parameter)}, ${requiredText(parameter)})`;
  if (parameter.default === null) return `reader.query(${name}, ${parserOf(parameter)})`;
  return `reader.queryOr(${name}, ${parserOf(parameter)}, ${defaultLiteral(parameter)})`;
}

function restriction(operation: Operation, group: string): string[] {
  const chain = operation.parameters.find((parameter) => parameter.type === "chain" && parameter.required);
  return chain === undefined
    ? []
    : [`reader.restrictChain(${literal(chain.name)}, ${literal(chain.in)}, ${chain.field}, ${literal(group)});`];
}

function ruleCall(rule: Rule): string {
  if (rule.kind !== "ascending") return `reader.${rule.kind}(${listLiteral(rule.parameters.map((parameter) => parameter.name))});`;
  return `reader.ascending(${rule.parameters.map(ruleParameter).join(", ")});`;
}

const ruleParameter = (parameter: Parameter): string =>
  objectLiteral({ name: literal(parameter.name), in: literal(parameter.in), result: readName(parameter) });

function resolution(operation: Operation, parameter: Parameter): string {
  const chain = operation.parameters.find((candidate) => candidate.type === "chain");
  const optional = parameter.required ? "" : "Optional";
  const method = parameter.type === "addressList" ? `resolve${optional}List` : `resolve${optional}`;
  const chainRead = chain === undefined ? "{ ok: true, value: null }" : chain.field;
  return `const ${parameter.field} = await reader.${method}(${literal(parameter.in)}, ${literal(parameter.name)}, ${readName(parameter)}, ${chainRead});`;
}
