import type { CatalogOperation } from "../catalog/catalog.ts";
import type { ServiceDefinition } from "../catalog/definition.ts";
import { type EndpointParameter, endpointParameters } from "../catalog/parameters.ts";
import type { Parameter, Rule } from "./model.ts";
import { camelCase } from "./names.ts";

/** The API key is not a parameter of the model: the security schemes describe it. */
const keyParameter = "key";
const storyPrefix = "story:";

/** The parameters of an endpoint; the endpoint's examples override the shared ones. */
export function parametersOf(service: ServiceDefinition, operation: CatalogOperation): Parameter[] {
  return endpointParameters(service, operation.definition)
    .filter((parameter) => parameter.name !== keyParameter)
    .map((parameter) => parameterOf(service, operation, parameter));
}

function parameterOf(service: ServiceDefinition, operation: CatalogOperation, parameter: EndpointParameter): Parameter {
  const { definition } = parameter;
  const value = operation.definition.example[parameter.name];
  const story = typeof value === "string" && value.startsWith(storyPrefix) ? value.slice(storyPrefix.length) : null;
  const shared = (parameter.in === "path" ? service.pathParameters : service.queryParameters)[parameter.name];
  return {
    name: parameter.name,
    in: parameter.in,
    type: definition.type,
    field: definition.type === "chain" ? "chain" : camelCase(parameter.name),
    description: definition.description,
    required: parameter.required,
    default: definition.default ?? null,
    example: value === undefined || story !== null ? definition.example : value,
    story,
    inExample: value !== undefined,
    values: definition.values ?? null,
    sizes: parameter.sizes,
    minimum: definition.minimum ?? null,
    maximum: definition.maximum ?? null,
    maxItems: definition.maxItems ?? null,
    overridden: value !== undefined || parameter.sizes !== null || JSON.stringify(definition) !== JSON.stringify(shared),
  };
}

/** The rules between parameters, each with its parameters. */
export function rulesOf(operation: CatalogOperation, parameters: readonly Parameter[]): Rule[] {
  const parameterNamed = (name: string): Parameter => {
    const parameter = parameters.find((candidate) => candidate.name === name);
    if (parameter === undefined) throw new Error(`Unknown parameter ${name} in a rule of ${operation.id}.`);
    return parameter;
  };
  return operation.definition.rules.map((rule): Rule => {
    if ("exclusive" in rule) return { kind: "exclusive", parameters: rule.exclusive.map(parameterNamed) };
    if ("together" in rule) return { kind: "together", parameters: rule.together.map(parameterNamed) };
    return { kind: "ascending", parameters: [parameterNamed(rule.ascending[0]), parameterNamed(rule.ascending[1])] };
  });
}
