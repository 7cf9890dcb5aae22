import type { ParameterType } from "../catalog/definition.ts";
import type { Handler, Model, Operation, Parameter } from "../model/model.ts";
import { camelCase, pascalCase } from "../model/names.ts";
import { dataType, importList } from "./handlers.ts";
import { commentText, compileTemplate, literal, objectLiteral } from "./template.ts";

interface MethodView {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  readonly path: string;
  readonly pathLiteral: string;
  readonly type: string;
  readonly optional: string;
  readonly data: string;
  readonly query: string;
}

interface ParametersView {
  readonly type: string;
  readonly summary: string;
  readonly fields: readonly { readonly description: string; readonly declaration: string }[];
}

interface ClientView {
  readonly responses: readonly string[];
  readonly parameters: readonly ParametersView[];
  readonly methods: readonly MethodView[];
  readonly iterators: readonly (MethodView & { readonly page: string })[];
  readonly linked: readonly MethodView[];
}

const renderClient = compileTemplate<ClientView>("client");

const types: Record<Exclude<ParameterType, "choice">, string> = {
  chain: "string | number",
  address: "string",
  addressList: "string | readonly string[]",
  bitcoinAddress: "string",
  hash: "string",
  topicList: "string | readonly string[]",
  height: 'number | "latest"',
  block: "number | string",
  date: "string",
  dateOrLatest: "string",
  integer: "number",
  boolean: "boolean",
  currency: "Currency",
  text: "string",
  textList: "string | readonly string[]",
  tokenId: "string | number | bigint",
};

/** Emits the typed client: one method per operation, and iterators over pages. */
export function emitClient(model: Model): string {
  return renderClient({
    responses: importList(model.operations.map((operation) => operation.response)),
    parameters: model.handlers.map(parametersView),
    methods: model.operations.map(methodView),
    iterators: model.operations.flatMap((operation) => {
      const page = pageName(operation);
      return page === null ? [] : [{ ...methodView(operation), page }];
    }),
    linked: model.operations.filter(({ style }) => model.service.pagination[style]?.responseFields.includes("links")).map(methodView),
  });
}

const typeName = (handler: string): string => `${pascalCase(handler)}Parameters`;

/** The parameters of a client method: all except format, because the client parses only JSON. */
const clientParameters = (operation: Operation): readonly Parameter[] =>
  operation.parameters.filter((parameter) => parameter.name !== "format");

function parametersView({ id, operation }: Handler): ParametersView {
  const fields = clientParameters(operation).map((parameter) => ({
    description: commentText(parameter.description),
    declaration: `${camelCase(parameter.name)}${parameter.required ? "" : "?"}: ${typeOf(parameter)}`,
  }));
  return { type: typeName(id), summary: commentText(operation.summary), fields };
}

function typeOf(parameter: Parameter): string {
  if (parameter.sizes !== null) return `${parameter.sizes.join(" | ")}`;
  return parameter.type === "choice" ? (parameter.values ?? []).map(literal).join(" | ") : types[parameter.type];
}

function methodView(operation: Operation): MethodView {
  const query = clientParameters(operation).filter((parameter) => parameter.in === "query");
  return {
    id: operation.id,
    name: literal(operation.id),
    summary: commentText(operation.summary),
    path: operation.path,
    pathLiteral: literal(operation.path),
    type: typeName(operation.handler),
    optional: clientParameters(operation).some((parameter) => parameter.required) ? "" : " = {}",
    data: dataType(operation),
    query: objectLiteral(Object.fromEntries(query.map((parameter) => [camelCase(parameter.name), literal(parameter.name)]))),
  };
}

function pageName({ style }: Operation): string | null {
  if (style === "page") return "pageNumber";
  return style === "path-page" ? "page" : null;
}
