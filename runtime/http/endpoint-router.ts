import type { IncomingMessage, ServerResponse } from "node:http";

/** Responds to a request for an endpoint. */
export type EndpointHandler = (request: IncomingMessage, response: ServerResponse, parameters: PathParameters) => Promise<void>;

/** Path parameters by name, decoded. */
export type PathParameters = Readonly<Record<string, string>>;

/** The endpoint that a path matches. */
export interface FoundEndpoint<Handler> {
  readonly handler: Handler;
  readonly parameters: PathParameters;
}

/** Finds endpoints by their path segments, in time independent of their number. */
export interface EndpointRouter<Handler = EndpointHandler> {
  /** Registers the handler of a path such as `/v1/:chainName/xy=k/`; if a path has several handlers, the first one is used. */
  get(path: string, handler: Handler): void;
  /** The endpoint of a path, with or without a trailing slash; undefined if no endpoint matches. */
  find(path: string): FoundEndpoint<Handler> | undefined;
}

interface Endpoint<Handler> {
  readonly handler: Handler;
  /** The names of the parameters, in path order. */
  readonly names: readonly string[];
}

/** Endpoints whose paths begin with the same segments. */
interface Branch<Handler> {
  readonly literals: Map<string, Branch<Handler>>;
  parameter: Branch<Handler> | undefined;
  endpoint: Endpoint<Handler> | undefined;
}

const createBranch = <Handler>(): Branch<Handler> => ({ literals: new Map(), parameter: undefined, endpoint: undefined });

/** A path's segments, without the empty ones at its leading and trailing slash. */
function segmentsOf(path: string): string[] {
  const segments = path.split("/");
  segments.shift();
  if (segments.at(-1) === "") segments.pop();
  return segments;
}

/** Creates a router. A literal segment is tried before a parameter, which matches any segment that is not empty. */
export function createEndpointRouter<Handler = EndpointHandler>(): EndpointRouter<Handler> {
  const root = createBranch<Handler>();
  return {
    get(path, handler) {
      const names: string[] = [];
      let branch = root;
      for (const segment of segmentsOf(path)) {
        const isParameter = segment.startsWith(":");
        if (isParameter) names.push(segment.slice(1));
        const next = (isParameter ? branch.parameter : branch.literals.get(segment)) ?? createBranch<Handler>();
        if (isParameter) branch.parameter = next;
        else branch.literals.set(segment, next);
        branch = next;
      }
      branch.endpoint ??= { handler, names };
    },
    find(path) {
      const values: string[] = [];
      const endpoint = findIn(root, segmentsOf(path), 0, values);
      return endpoint === undefined ? undefined : { handler: endpoint.handler, parameters: parametersOf(endpoint.names, values) };
    },
  };
}

/** The endpoint that matches the segments from a position on; `values` is a stack of the segments that parameters have matched. */
function findIn<Handler>(
  branch: Branch<Handler>,
  segments: readonly string[],
  position: number,
  values: string[],
): Endpoint<Handler> | undefined {
  const segment = segments[position];
  if (segment === undefined) return branch.endpoint;
  const literal = branch.literals.get(segment);
  const found = literal === undefined ? undefined : findIn(literal, segments, position + 1, values);
  if (found !== undefined || branch.parameter === undefined || segment === "") return found;
  values.push(segment);
  const endpoint = findIn(branch.parameter, segments, position + 1, values);
  if (endpoint === undefined) values.pop();
  return endpoint;
}

function parametersOf(names: readonly string[], values: readonly string[]): PathParameters {
  const parameters: Record<string, string> = {};
  names.forEach((name, position) => {
    const value = values[position] ?? "";
    // The encoding was checked when the path was normalized.
    parameters[name] = value.includes("%") ? decodeURIComponent(value) : value;
  });
  return parameters;
}
