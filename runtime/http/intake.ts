import type { IncomingMessage, ServerResponse } from "node:http";
import type { Header, Middleware } from "./constant-headers.ts";
import { allowedMethods, failures } from "./errors.ts";
import { parseQuery } from "./query.ts";
import { requestId } from "./request-id.ts";
import { openRecord } from "./request-record.ts";
import { protocolsByName, readTarget } from "./request-target.ts";

export interface IntakeDeps {
  /** Headers that are set on every response. */
  readonly headers: readonly Header[];
  /** Handles OPTIONS. */
  readonly preflight: Middleware;
  readonly urlBytes: number;
  readonly protocolNames: Readonly<Record<string, string>>;
}

/**
 * The first step of each request: sets common headers, checks the method, and returns the path in the form that the routes use; null if it
 * has already responded.
 * @throws {HttpError} if the method or the URL is invalid.
 */
export type Intake = (request: IncomingMessage, response: ServerResponse) => string | null;

/** Creates the intake. */
export function createIntake({ headers, preflight, urlBytes, protocolNames }: IntakeDeps): Intake {
  const protocols = protocolsByName(protocolNames);
  return (request, response) => {
    const id = requestId(request.headers["x-request-id"]);
    const record = openRecord(response, id);
    response.setHeader("X-Request-Id", id);
    for (const [name, value] of headers) response.setHeader(name, value);

    const { method = "", url = "" } = request;
    if (method !== "GET" && method !== "HEAD") {
      response.setHeader("Allow", allowedMethods);
      if (method === "OPTIONS") {
        preflight(request, response, () => undefined);
        return null;
      }
      throw failures.methodNotAllowed(method);
    }

    if (url.length > urlBytes) throw failures.urlTooLong(url.length, urlBytes);
    const { path, query } = readTarget(url, protocols);
    record.path = path;
    if (path.startsWith("/v1/")) response.setHeader("X-Credits", "0");
    record.query = parseQuery(query);
    return path;
  };
}
