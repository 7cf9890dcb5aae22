import type { ParameterDefinition, ParameterType } from "../catalog/definition.ts";
import { renderCost } from "../model/costs.ts";
import type { Field, Handler, Model, Operation, Parameter, ResponseObject, Rule } from "../model/model.ts";
import type { Described, DomainView, EndpointView, FieldRow, ParameterRow, ReferenceView } from "./reference-view.ts";
import { compileTemplate } from "./template.ts";

const renderReference = compileTemplate<ReferenceView>("reference");

/** Emits the reference of all endpoints in Markdown. */
export function emitReference(model: Model): string {
  const { service } = model;
  return renderReference({
    title: service.title,
    version: service.version,
    description: service.description.trim(),
    authentication: described(service.authentication),
    envelope: described(service.envelope),
    common: service.commonQuery.flatMap((name) => {
      const definition = service.queryParameters[name];
      return definition === undefined ? [] : [commonRow(name, definition)];
    }),
    headers: described(service.headers),
    errors: Object.entries(service.errors)
      .sort(([left], [right]) => Number(left) - Number(right))
      .map(([status, { title, description }]) => ({ status, title, description: cell(description) })),
    styles: described(service.pagination),
    groups: Object.entries(service.networkGroups).map(([name, group]) => ({
      name,
      description: cell(group.description),
      chains: group.chains.join(", "),
    })),
    costs: handlersInOrder(model).map(({ id, operation }) => ({
      id,
      anchor: id.toLowerCase(),
      summary: cell(operation.summary),
      cost: renderCost(operation.cost),
      mode: operation.mode,
      status: operation.status,
    })),
    domains: Object.entries(service.tags).map(([name, description]) => domainView(model, name, description)),
    objects: [...model.objects.values()].map(({ name, description, fields }) => ({
      name,
      description: cell(description),
      fields: fields.map(fieldRow),
    })),
  });
}

/** The handlers in the order of the model's operations. */
function handlersInOrder(model: Model): Handler[] {
  const position = (handler: Handler): number => model.operations.indexOf(handler.operation);
  return [...model.handlers].sort((left, right) => position(left) - position(right));
}

function domainView(model: Model, name: string, description: string): DomainView {
  const endpoints = handlersInOrder(model).filter((handler) => handler.domain === name);
  return {
    title: name.charAt(0).toUpperCase() + name.slice(1),
    anchor: name,
    description,
    endpoints: endpoints.map((handler) => endpointView(model, handler)),
  };
}

function endpointView(model: Model, { id, operation }: Handler): EndpointView {
  const paths = model.operations.filter((candidate) => candidate.handler === id).map((candidate) => candidate.path);
  const specific = operation.parameters.filter((parameter) => !model.service.commonQuery.includes(parameter.name));
  const link = objectLink(operation.response);
  return {
    id,
    summary: operation.summary,
    notes: operation.notes.trim(),
    paths,
    cost: renderCost(operation.cost),
    mode: operation.mode,
    status: operation.status,
    pagination: operation.style,
    networks: operation.networks ?? "all",
    row: operation.row === null ? "–" : String(operation.row),
    parameters: specific.map(parameterRow),
    rules: operation.rules.map(ruleSentence),
    response: operation.list ? `a list of ${link}` : link,
    fields: fieldsOf(model.objects, operation),
  };
}

function fieldsOf(objects: ReadonlyMap<string, ResponseObject>, { response }: Operation): FieldRow[] {
  return (objects.get(response)?.fields ?? []).map(fieldRow);
}

function fieldRow(field: Field): FieldRow {
  const base = "object" in field.type ? objectLink(field.type.object) : field.type.scalar;
  const values = field.values === null ? "" : ` (${field.values.join(", ")})`;
  return {
    name: field.name,
    type: `${field.list ? "list of " : ""}${base}${values}${field.nullable ? " or null" : ""}`,
    description: cell(field.description),
  };
}

const objectLink = (name: string): string => `[${name}](#${name.toLowerCase()})`;

const typeNames: Partial<Record<ParameterType, string>> = {
  addressList: "addresses, comma-separated",
  bitcoinAddress: "Bitcoin address",
  topicList: "topics, comma-separated",
  textList: "a comma-separated list of strings",
  dateOrLatest: "date or latest",
  tokenId: "token id",
};

interface Bounded {
  readonly type: ParameterType;
  readonly values?: readonly string[] | null | undefined;
  readonly sizes?: readonly number[] | null | undefined;
  readonly minimum?: number | null | undefined;
  readonly maximum?: number | null | undefined;
}

function typeOf({ type, values, sizes, minimum, maximum }: Bounded): string {
  if (sizes !== null && sizes !== undefined) return sizes.join(" or ");
  if (type === "choice") return (values ?? []).join(", ");
  if (type === "integer") return `integer, ${minimum ?? "any"} to ${maximum ?? "any"}`;
  return typeNames[type] ?? type;
}

function parameterRow(parameter: Parameter): ParameterRow {
  const fallback = parameter.default === null ? "none" : `\`${parameter.default}\``;
  return {
    name: parameter.name,
    in: parameter.in,
    type: typeOf(parameter),
    default: parameter.required ? "required" : fallback,
    description: cell(parameter.description),
  };
}

function commonRow(name: string, definition: ParameterDefinition): ParameterRow {
  return {
    name,
    in: "query",
    type: typeOf(definition),
    default: definition.default === undefined ? "none" : `\`${definition.default}\``,
    description: cell(definition.description),
  };
}

function ruleSentence(rule: Rule): string {
  const names = rule.parameters.map((parameter) => `\`${parameter.name}\``).join(" and ");
  if (rule.kind === "exclusive") return `At most one of ${names} may be sent.`;
  if (rule.kind === "together") return `${names} must be sent together or not at all.`;
  return `${rule.parameters.map((parameter) => `\`${parameter.name}\``).join(" must not be above ")}.`;
}

function described(entries: Readonly<Record<string, { readonly description: string }>>): Described[] {
  return Object.entries(entries).map(([name, { description }]) => ({ name, description: cell(description) }));
}

/** Escapes text for a table cell. */
const cell = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
