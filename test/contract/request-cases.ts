import type { Model, Operation, Parameter } from "../../generator/model/model.ts";
import { valuesOf } from "./values.ts";

/** One request: its values by parameter name, and its target. */
export interface RequestCase {
  readonly operation: Operation;
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly target: string;
}

/** The changes that a case makes to an operation's minimal valid request. */
export interface Changes {
  readonly values?: Readonly<Record<string, readonly string[]>>;
  readonly target?: (target: string) => string;
}

/** Percent-encodes all characters that RFC 3986, section 2.2 reserves; encodeURIComponent does not encode five of them. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Builds a request from the catalog's examples for the required parameters, and applies the changes. */
export function requestOf(operation: Operation, { values = {}, target: rewrite = (target) => target }: Changes = {}): RequestCase {
  const required = operation.parameters.filter((parameter) => parameter.required);
  const sent: Record<string, readonly string[]> = {
    ...Object.fromEntries(required.map(({ name, example }) => [name, [String(example)]])),
    ...values,
  };
  const path = operation.segments
    .map((segment) => ("literal" in segment ? segment.literal : encode(sent[segment.parameter]?.[0] ?? "")))
    .join("/");
  const inPath = new Set(operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name));
  const query = Object.entries(sent)
    .filter(([name]) => !inPath.has(name))
    .flatMap(([name, texts]) => texts.map((text) => `${encode(name)}=${encode(text)}`));
  return { operation, values: sent, target: rewrite(`/${path}/${query.length === 0 ? "" : `?${query.join("&")}`}`) };
}

/** Valid and invalid requests of every endpoint, each with one change to the minimal request. */
export function requestCases(model: Model): readonly RequestCase[] {
  // Community operations that share a handler differ only in their literal path.
  return model.handlers.flatMap(({ operation }) => [
    requestOf(operation),
    ...targetCases(operation),
    ...operation.parameters.flatMap((parameter) => parameterCases(operation, parameter)),
    ...missingParameterCases(operation),
    ...ruleCases(operation),
    ...csvPageSizeCases(operation),
  ]);
}

function targetCases(operation: Operation): RequestCase[] {
  const targets: ((target: string) => string)[] = [
    (target) => (target.includes("?") ? `${target}&` : `${target}?`),
    (target) => `${target}${target.includes("?") ? "&" : "?"}spreadsheet=1&spreadsheet=2&%5B%5D=`,
    (target) => target.replace(/\/(?=$|\?)/, ""),
    (target) => target.replace("xy=k", "xy%3Dk"),
    (target) => target.replace("/v1/", "/v2/"),
  ];
  const plain = requestOf(operation).target;
  return targets.map((target) => requestOf(operation, { target })).filter(({ target }) => target !== plain);
}

function parameterCases(operation: Operation, parameter: Parameter): RequestCase[] {
  const { valid, invalid } = valuesOf(parameter);
  const [first = ""] = valid;
  const partners = partnersOf(operation, parameter);
  const blanks = [` ${first} `, `\t${first}`, ...(parameter.type.endsWith("List") ? [`${first} , ${first}`] : [])];
  const sent = [...valid, ...invalid, ...blanks, first.replace(/^0x/, "0X")].map((text) => ({ ...partners, [parameter.name]: [text] }));
  const repeated = [
    [first, first],
    [first, ""],
  ].map((texts) => ({ ...partners, [parameter.name]: texts }));
  const empty = [[""], ["", ""]].map((texts) => ({ [parameter.name]: texts }));
  const queryCases = parameter.in === "query" ? [...repeated, ...empty] : [];
  const cases = [...sent, { [parameter.name]: ["  "] }, ...queryCases].map((values) => requestOf(operation, { values }));
  return [...new Map(cases.map((request) => [request.target, request])).values()];
}

/** The parameters that must accompany a parameter; they are sent with it so that only its own value can be invalid. */
function partnersOf({ rules }: Operation, parameter: Parameter): Record<string, readonly string[]> {
  const together = rules.flatMap((rule) => (rule.kind === "together" && rule.parameters.includes(parameter) ? rule.parameters : []));
  return Object.fromEntries(together.filter((other) => other !== parameter).map(({ name, example }) => [name, [String(example)]]));
}

function missingParameterCases(operation: Operation): RequestCase[] {
  return operation.parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name }) => requestOf(operation, { values: { [name]: [] } }));
}

function ruleCases(operation: Operation): RequestCase[] {
  return operation.rules.flatMap((rule) => {
    if (rule.kind === "ascending") {
      const [first, last] = rule.parameters;
      const [low, high] = first.type === "block" ? ["7", "0x8"] : ["2026-01-01", "2026-01-02"];
      const pairs = [[low, high], [low, low], [high, low], ...(last.type === "date" ? [] : [[high, "latest"]])];
      return pairs.map(([from = "", to = ""]) => requestOf(operation, { values: { [first.name]: [from], [last.name]: [to] } }));
    }
    const all = rule.parameters.map(({ name, example }): [string, readonly string[]] => [name, [String(example)]]);
    return [all, ...all.map((entry) => [entry])].map((sent) => requestOf(operation, { values: Object.fromEntries(sent) }));
  });
}

function csvPageSizeCases(operation: Operation): RequestCase[] {
  if (!operation.parameters.some(({ name }) => name === "page-size")) return [];
  return ["1", "101", "1000", "1001", "10000", "10001", "0"].map((size) =>
    requestOf(operation, { values: { "page-size": [size], format: ["csv"] } }),
  );
}
