import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { redact } from "./redact.ts";
import { recordOf } from "./request-record.ts";

const maxLoggedLength = 300;

/** The query without keys. */
function loggedQuery(query: Readonly<Record<string, string | readonly string[]>>): string | undefined {
  const pairs = Object.entries(query).filter(([name]) => name.toLowerCase() !== "key");
  return pairs.length === 0
    ? undefined
    : redact(pairs.map(([name, value]) => `${name}=${String(value)}`).join("&")).slice(0, maxLoggedLength);
}

/** Logs one line per request when its connection or response is finished, without headers and keys. */
export function createRequestLog(logger: Logger): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    if (!logger.isLevelEnabled("info")) return;
    response.once("close", () => {
      const { id, startedAt, path, query, operation, keyId, costHundredths, cache } = recordOf(response);
      logger.info(
        {
          requestId: id,
          method: request.method,
          path: redact(path).slice(0, maxLoggedLength),
          query: loggedQuery(query),
          status: response.statusCode,
          milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
          complete: response.writableFinished,
          operation,
          keyId,
          hundredths: costHundredths,
          cache,
        },
        "Request",
      );
    });
  };
}
