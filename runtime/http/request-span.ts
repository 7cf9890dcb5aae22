import type { IncomingMessage, ServerResponse } from "node:http";
import type { Span } from "../lib/tracing.ts";
import { recordOf } from "./request-record.ts";

const methods = new Set(["GET", "HEAD", "OPTIONS"]);
const firstServerError = 500;

/** Ends a request's span when its response is closed. It does not contain the URL, because keys and addresses may be anywhere in it. */
export function endRequestSpan(
  span: Span,
  { method = "" }: IncomingMessage,
  response: ServerResponse,
  routeOf: (operation: string) => string | undefined,
): void {
  const { id, operation, cache, keyId } = recordOf(response);
  const { statusCode: status, writableFinished } = response;
  const knownMethod = methods.has(method) ? method : "_OTHER";
  const route = operation === undefined ? undefined : routeOf(operation);
  span.end({
    name: route === undefined ? knownMethod : `${knownMethod} ${route}`,
    attributes: {
      "http.request.method": knownMethod,
      "http.response.status_code": status,
      "ashlar.request_id": id,
      ...(route === undefined ? {} : { "http.route": route }),
      ...(operation === undefined ? {} : { "ashlar.operation": operation }),
      ...(cache === undefined ? {} : { "ashlar.cache": cache }),
      ...(keyId === undefined ? {} : { "ashlar.key_id": keyId }),
    },
    error: writableFinished ? (status >= firstServerError ? String(status) : undefined) : "aborted",
  });
}
