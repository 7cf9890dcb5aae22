import type { EndpointDefinition, ParameterDefinition, ParameterUse, ServiceDefinition } from "./definition.ts";

/** A parameter of an endpoint: the shared definition combined with the endpoint's overrides. */
export interface EndpointParameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  /** The only accepted values of `page-size`, if the endpoint lists any. */
  readonly sizes: readonly number[] | null;
  readonly definition: ParameterDefinition;
}

/** The names in braces in a path, in order. */
export function pathParameterNames(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? "");
}

/** The name under which the service defines a path parameter of an endpoint. */
export function definitionName({ definedAs = {} }: Partial<Pick<EndpointDefinition, "definedAs">>, name: string): string {
  return definedAs[name] ?? name;
}

/** The names of an endpoint's query parameters: those it lists, those of its pagination style, then the common ones. */
function queryParameterNames(
  service: Pick<ServiceDefinition, "commonQuery" | "pagination">,
  endpoint: Pick<EndpointDefinition, "query" | "pagination">,
): string[] {
  const listed = endpoint.query.map((use) => (typeof use === "string" ? use : use.name));
  const paging = service.pagination[endpoint.pagination.style]?.query ?? [];
  return [...new Set([...listed, ...paging, ...service.commonQuery])];
}

/** An endpoint's parameters in a checked catalog, path parameters first; undeclared names are omitted. */
export function endpointParameters(
  service: ServiceDefinition,
  endpoint: Pick<EndpointDefinition, "path" | "definedAs" | "query" | "pagination">,
): EndpointParameter[] {
  const path = pathParameterNames(endpoint.path).flatMap((name): EndpointParameter[] => {
    const definition = service.pathParameters[definitionName(endpoint, name)];
    return definition === undefined ? [] : [{ name, in: "path", required: true, sizes: null, definition }];
  });
  const query = queryParameterNames(service, endpoint).flatMap((name): EndpointParameter[] => {
    const shared = service.queryParameters[name];
    if (shared === undefined) return [];
    const definition = withOverrides(shared, name, endpoint);
    return [
      { name, in: "query", required: definition.required ?? false, sizes: name === "page-size" ? sizesOf(endpoint) : null, definition },
    ];
  });
  return [...path, ...query];
}

function sizesOf(endpoint: Pick<EndpointDefinition, "pagination">): readonly number[] | null {
  return endpoint.pagination.sizes ?? null;
}

function withOverrides(
  shared: ParameterDefinition,
  name: string,
  endpoint: Pick<EndpointDefinition, "query" | "pagination">,
): ParameterDefinition {
  const use = endpoint.query.find((candidate) => typeof candidate !== "string" && candidate.name === name);
  const size = name === "page-size" ? (endpoint.pagination.size ?? endpoint.pagination.sizes?.[0]) : undefined;
  const sized = size === undefined ? shared : { ...shared, default: size, example: size };
  return typeof use === "object" ? applyUse(sized, use) : sized;
}

/** A shared parameter with the overrides of one use; a use that makes it required removes the shared default. */
export function applyUse(shared: ParameterDefinition, use: Exclude<ParameterUse, string>): ParameterDefinition {
  const overrides = Object.entries(use).filter(([key, value]) => key !== "name" && value !== undefined);
  const { default: sharedDefault, ...rest } = shared;
  const base = use.required === true || sharedDefault === undefined ? rest : shared;
  return { ...base, ...Object.fromEntries(overrides) };
}
