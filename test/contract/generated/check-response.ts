import { parseCsv } from "../../support/csv.ts";
import type { Document } from "../../support/document.ts";
import type { OpenApiValidator } from "../../support/openapi-validator.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import type { GeneratedRequest } from "./generate-request.ts";
import type { RawResponse } from "./send-request.ts";

/** The max duration of any request, valid or not. */
const maxMilliseconds = 15_000;

/** File names of the program, SQL and keys, which no response may contain. */
const secrets = /node_modules|\bat \S+ \(|\bselect\b.{1,80}\bfrom\b|ckey_[0-9a-f]{8}/i;

/** Creates a function that describes what is wrong with the response to a generated request, or returns null. */
export function createResponseChecker(document: Document, openApi: OpenApiValidator) {
  return async (request: GeneratedRequest, response: RawResponse): Promise<string | null> => {
    const general = statusProblem(response) ?? secretProblem(response);
    if (general !== null) return general;
    const { status, text } = response;
    if (request.method === "HEAD" || status === 304) return text === "" ? null : "has a body";
    const failure = status >= 400 ? failureProblem(response) : null;
    return failure ?? (request.matchesOperation ? contentProblem(document, openApi, request, response) : null);
  };
}

function statusProblem({ status, headers, text, milliseconds }: RawResponse): string | null {
  if (milliseconds > scaleTimeLimit(maxMilliseconds)) return `took ${Math.round(milliseconds)} ms`;
  if (status === 503) return headers["retry-after"] === undefined ? "503 without Retry-After" : null;
  return status >= 500 ? `status ${status}: ${text.slice(0, 300)}` : null;
}

const secretProblem = ({ text }: RawResponse): string | null => {
  const found = secrets.exec(text);
  return found === null ? null : `reveals ${found[0]}`;
};

/** Checks that a failed response has the error envelope: no data, and the status as its code. */
function failureProblem({ status, headers, text }: RawResponse): string | null {
  if (headers["content-type"]?.startsWith("application/json") !== true) return `status ${status} as ${headers["content-type"]}`;
  const { data, error, error_code: code, error_message: message } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const isFailure = data === null && error === true && code === status && typeof message === "string" && message.length > 0;
  return isFailure ? null : `status ${status} with ${text.slice(0, 200)}`;
}

/** Checks a response against the document's schema for its operation and status. CSV has no schema and must only parse. */
async function contentProblem(
  document: Document,
  openApi: OpenApiValidator,
  { operation: { path } }: GeneratedRequest,
  { status, headers, text }: RawResponse,
): Promise<string | null> {
  if (document.paths[path]?.get?.responses[String(status)] === undefined) return `status ${status} is not documented`;
  const contentType = headers["content-type"] ?? "";
  if (contentType.startsWith("text/csv")) return csvProblem(text);
  return openApi.response(path, { status, contentType, body: JSON.parse(text) as unknown });
}

const csvProblem = (text: string): string | null => {
  try {
    parseCsv(text);
    return null;
  } catch (error) {
    return `CSV: ${String(error)}`;
  }
};
