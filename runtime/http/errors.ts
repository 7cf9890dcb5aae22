import type { Issue } from "../../generated/requests.gen.ts";
import { DatabaseUnavailable } from "../database/errors.ts";
import { RequestError } from "../lib/request-error.ts";

/** A failed answer: its status, its sentence, and the headers that belong to it. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the cause is worth an entry of its own in the log. */
  readonly unexpected: boolean;
}

/** A failure that the HTTP layer itself found. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** The methods that are answered, as `Allow` lists them. */
export const allowedMethods = "GET, HEAD, OPTIONS";

const challenge = { "WWW-Authenticate": 'Bearer realm="ashlar", Basic realm="ashlar"' };
const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;
const waysToSend = "send it as a bearer token, as the user name of HTTP Basic with an empty password, or as the query parameter key";

/** Every failure of the HTTP layer: what it is called, its status, and its sentence with its data. */
export const failures = {
  keyMissing: () => new HttpError(401, `No API key was sent: ${waysToSend}.`, challenge),
  keyMalformed: () => new HttpError(401, "The API key that was sent has another form than ckey_ and 27 lower-case hex digits.", challenge),
  keyPassword: () =>
    new HttpError(401, "A password was sent with HTTP Basic: the API key is the user name, and the password is empty.", challenge),
  keyUnknown: () => new HttpError(401, "The API key that was sent is unknown or revoked; ask the operator for another.", challenge),
  allowanceUsed: (hundredths: number) =>
    new HttpError(402, `This key's allowance of ${hundredths / 100} credits is used up; ask the operator to raise it.`),
  pathUnknown: (sent: string, hint: string) => new HttpError(404, `There is nothing at ${sent}; ${hint}.`),
  methodNotAllowed: (method: string) =>
    new HttpError(405, `The method ${method} was sent, ${allowedMethods} are accepted.`, { Allow: allowedMethods }),
  tooManyRequests: (limit: number, window: number, wait: number) =>
    new HttpError(
      429,
      `Rate limit exceeded: ${counted(limit, "request")} in ${counted(window, "second")} for each key; try again in ${counted(wait, "second")}.`,
    ),
  tooManyRefusals: (limit: number, window: number, wait: number) =>
    new HttpError(
      429,
      `Rate limit exceeded: ${counted(limit, "request")} without a valid key in ${counted(window, "second")} for each address; try again in ${counted(wait, "second")}.`,
      { "Retry-After": String(wait), "RateLimit-Limit": String(limit), "RateLimit-Remaining": "0", "RateLimit-Reset": String(wait) },
    ),
  planned: (path: string) => new HttpError(501, `The endpoint ${path} is planned and does not answer yet.`),
  urlTooLong: (length: number, bound: number) =>
    new HttpError(400, `The URL has ${length} bytes, at most ${bound} are accepted (limits.urlBytes).`),
  queryTooLong: (count: number, bound: number) =>
    new HttpError(400, `Too many query parameters: ${count} were sent, at most ${bound} are accepted.`),
  urlEncoding: (place: string) =>
    new HttpError(400, `${place} has an invalid percent-encoding; UTF-8 is accepted, encoded as RFC 3986 says.`),
  urlForm: () => new HttpError(400, "The request target is not a path that starts with a slash."),
  hostInvalid: () => new HttpError(400, "The Host header is missing or is not a host name with an optional port."),
  answerTooLarge: (bytes: number, bound: number) =>
    new HttpError(
      400,
      `The answer has ${bytes} bytes or more, at most ${bound} are sent (limits.answerBytes); ask for fewer items or a smaller range.`,
    ),
  statementTimeout: (milliseconds: number) =>
    new HttpError(
      503,
      `The query ran longer than the ${milliseconds} ms that one may take (limits.statementMilliseconds); ask for fewer items or a smaller range.`,
      { "Retry-After": "5" },
    ),
  databaseDown: () => new HttpError(503, "The index cannot be reached at the moment; try again in a few seconds.", { "Retry-After": "5" }),
  notReady: (reasons: readonly string[]) => new HttpError(503, reasons.join(" "), { "Retry-After": "5" }),
  internal: (requestId: string) =>
    new HttpError(500, `The request failed inside the service; tell the operator its request id, ${requestId}.`),
} as const;

/** One sentence for each wrong parameter, in one failure. */
export function badParameters(issues: readonly Issue[]): HttpError {
  const sentences = issues.map(({ parameter, sent, accepted }) => {
    const what = sent === "" ? "nothing" : JSON.stringify(sent);
    const [form, ...reasons] = accepted.split("; ");
    return `Parameter ${parameter}: ${what} was sent, ${[`${form} is accepted`, ...reasons].join("; ")}.`;
  });
  return new HttpError(400, sentences.join(" "));
}

/** SQLSTATE query_canceled, which is what statement_timeout raises. */
const statementTimeoutCode = "57014";
const codeOf = (error: Error): string => ("code" in error && typeof error.code === "string" ? error.code : "");

const retryHeaders = ({ retryAfterSeconds }: RequestError): Failure["headers"] =>
  retryAfterSeconds === null ? {} : { "Retry-After": String(retryAfterSeconds) };

/** What a thrown value is answered with; its own words are shown only where they were written for the client. */
export function toFailure(error: unknown, requestId: string, statementMilliseconds: number): Failure {
  const answer = (found: HttpError | RequestError, unexpected: boolean): Failure => ({
    status: found.status,
    message: found.message,
    headers: found instanceof HttpError ? found.headers : retryHeaders(found),
    unexpected,
  });
  if (error instanceof HttpError || error instanceof RequestError) return answer(error, false);
  if (error instanceof URIError) return answer(failures.urlEncoding("The path"), false);
  if (error instanceof Error) {
    if (error instanceof DatabaseUnavailable) return answer(failures.databaseDown(), true);
    if (codeOf(error) === statementTimeoutCode) return answer(failures.statementTimeout(statementMilliseconds), true);
  }
  return answer(failures.internal(requestId), true);
}
