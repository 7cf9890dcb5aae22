import type { CatalogEndpoint } from "../catalog/catalog.ts";
import type { ServiceDefinition } from "../catalog/definition.ts";
import { type EndpointParameter, endpointParameters } from "../catalog/parameters.ts";
import type { Parameter, Rule } from "./model.ts";
import { camelCase } from "./names.ts";

/** The API key is described by the security schemes, not as a parameter. */
const keyParameter = "key";
const storyPrefix = "story:";

/** The parameters of an endpoint; the endpoint's examples override the shared ones. */
export function parametersOf(service: ServiceDefinition, endpoint: CatalogEndpoint): Parameter[] {
  return endpointParameters(service, endpoint.definition)
    .filter((parameter) => parameter.name !== keyParameter)
    .map((parameter) => parameterOf(service, endpoint, parameter));
}

function parameterOf(service: ServiceDefinition, endpoint: CatalogEndpoint, parameter: EndpointParameter): Parameter {
  const { definition } = parameter;
  const own = endpoint.definition.example[parameter.name];
  const story = typeof own === "string" && own.startsWith(storyPrefix) ? own.slice(storyPrefix.length) : null;
  const shared = (parameter.in === "path" ? service.pathParameters : service.queryParameters)[parameter.name];
  return {
    name: parameter.name,
    in: parameter.in,
    type: definition.type,
    field: definition.type === "chain" ? "chain" : camelCase(parameter.name),
    description: definition.description,
    required: parameter.required,
    default: definition.default ?? null,
    example: own === undefined || story !== null ? definition.example : own,
    story,
    inExample: own !== undefined,
    values: definition.values ?? null,
    sizes: parameter.sizes,
    minimum: definition.minimum ?? null,
    maximum: definition.maximum ?? null,
    maxItems: definition.maxItems ?? null,
    differs: own !== undefined || parameter.sizes !== null || JSON.stringify(definition) !== JSON.stringify(shared),
  };
}

/** The rules between parameters, each with its parameters. */
export function rulesOf(endpoint: CatalogEndpoint, parameters: readonly Parameter[]): Rule[] {
  const named = (name: string): Parameter => {
    const parameter = parameters.find((candidate) => candidate.name === name);
    if (parameter === undefined) throw new Error(`${endpoint.id} has a rule about ${name}, which is not a parameter of it.`);
    return parameter;
  };
  return endpoint.definition.rules.map((rule): Rule => {
    if ("exclusive" in rule) return { kind: "exclusive", parameters: rule.exclusive.map(named) };
    if ("together" in rule) return { kind: "together", parameters: rule.together.map(named) };
    return { kind: "ascending", parameters: [named(rule.ascending[0]), named(rule.ascending[1])] };
  });
}
