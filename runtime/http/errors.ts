import type { Issue } from "../../generated/requests.gen.ts";
import type { KeyLimits } from "../config/key-limits.ts";
import { DatabaseUnavailable, isCancelled, isConnectionStale } from "../database/errors.ts";
import { pluralize } from "../lib/pluralize.ts";
import { RequestError } from "../lib/request-error.ts";
import { type Period, resetOf, secondsOf, secondsUntilReset } from "./quota/periods.ts";

/** A failed response: status, message and headers. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the cause is logged. */
  readonly isUnexpected: boolean;
}

/** The limits that reject requests: credits with 402, the server's load with 503, and all others with 429. */
export const limitNames = [
  "requestsPerSecond",
  "concurrentRequests",
  "databaseSecondsPerMinute",
  "bytesInFlight",
  "credits",
  "failuresOfAddress",
  "pagesOfAddress",
  "serverLoad",
] as const;
export type LimitName = (typeof limitNames)[number];

/** A failure detected by the HTTP layer. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The limit that the request exceeds, for metrics. */
  readonly exceededLimit: LimitName | undefined;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}, exceededLimit?: LimitName) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.exceededLimit = exceededLimit;
  }
}

/** The accepted methods, in the format of the `Allow` header. */
export const allowedMethods = "GET, HEAD, OPTIONS";

const challenge = { "WWW-Authenticate": 'Bearer realm="ashlar", Basic realm="ashlar"' };

const exceededLimits: Readonly<Record<keyof KeyLimits, string>> = {
  concurrentRequests: "Concurrent request limit exceeded",
  databaseSecondsPerMinute: "Database time limit exceeded",
  bytesInFlight: "Limit on unread response bytes exceeded",
};

/** All HTTP failures by name, with status and message. */
export const failures = {
  keyMissing: () =>
    new HttpError(
      401,
      "Missing API key: send it as a bearer token, as the HTTP Basic user name with an empty password, or as the query parameter key.",
      challenge,
    ),
  keyMalformed: () => new HttpError(401, "Invalid API key: expected ckey_ followed by 27 lower-case hex digits.", challenge),
  basicCredentialsInvalid: () =>
    new HttpError(401, "Invalid HTTP Basic credentials: expected the API key as the user name and an empty password.", challenge),
  keyExpired: (at: Date) =>
    new HttpError(401, `Expired API key: it expired at ${at.toISOString()}; ask the operator for a new one.`, challenge),
  addressNotAllowed: (address: string) => new HttpError(403, `Address not allowed: this key is not allowed from ${address}.`),
  originNotAllowed: (origin: string | undefined) =>
    new HttpError(
      403,
      origin === undefined
        ? "Origin required: this key is limited to web pages of certain origins, and the request has no Origin header."
        : `Origin not allowed: this key is not allowed from ${JSON.stringify(origin.slice(0, 200))}.`,
    ),
  chainNotAllowed: (chain: string, allowed: readonly string[]) =>
    new HttpError(403, `Chain not allowed: this key is not allowed on ${chain}, only on ${allowed.join(", ")}.`),
  chainRequired: (allowed: readonly string[]) =>
    new HttpError(403, `Chain required: this endpoint reads all chains, and this key is only allowed on ${allowed.join(", ")}.`),
  quotaUsed: (period: Period, hundredths: number, at: Date) => {
    const [quota, wait] = [hundredths / 100, secondsUntilReset(period, at)];
    return new HttpError(
      402,
      `Credit quota exhausted: this key has used its ${quota} credits of this UTC ${period}; the quota is reset at ${resetOf(period, at).toISOString()}.`,
      {
        "Retry-After": String(wait),
        "RateLimit-Policy": `"creditsPer${period === "day" ? "Day" : "Month"}";q=${Math.floor(quota)};w=${secondsOf(period, at)}`,
        RateLimit: `"creditsPer${period === "day" ? "Day" : "Month"}";r=0;t=${wait}`,
      },
      "credits",
    );
  },
  leaseMissing: () =>
    new HttpError(503, "Credits for this key cannot be reserved at the moment; retry in 1 second.", { "Retry-After": "1" }),
  keyUnknown: () => new HttpError(401, "Unknown or revoked API key; ask the operator for a new one.", challenge),
  allowanceUsed: (hundredths: number) =>
    new HttpError(
      402,
      `Credit allowance exhausted: this key has used its ${hundredths / 100} credits; ask the operator to raise the allowance.`,
      {},
      "credits",
    ),
  pathUnknown: (sent: string, hint: string) => new HttpError(404, `Path not found: ${sent}; ${hint}.`),
  methodNotAllowed: (method: string) =>
    new HttpError(405, `Method ${method} is not allowed: expected one of ${allowedMethods}.`, { Allow: allowedMethods }),
  tooManyRequests: (limit: number, window: number, wait: number) =>
    new HttpError(
      429,
      `Rate limit exceeded: ${pluralize(limit, "request")} per ${window === 1 ? "second" : `${window} seconds`}; retry in ${pluralize(wait, "second")}.`,
      {},
      "requestsPerSecond",
    ),
  tooManyInvalidKeys: (limit: number, window: number, wait: number) =>
    new HttpError(
      429,
      `Rate limit exceeded: ${pluralize(limit, "request")} without a valid key per ${pluralize(window, "second")} from one IPv4 address or IPv6 /64 network; retry in ${pluralize(wait, "second")}.`,
      { "Retry-After": String(wait), "RateLimit-Limit": String(limit), "RateLimit-Remaining": "0", "RateLimit-Reset": String(wait) },
      "failuresOfAddress",
    ),
  tooManyPages: (limit: number, window: number, wait: number) =>
    new HttpError(
      429,
      `Rate limit exceeded: ${pluralize(limit, "page")} per ${pluralize(window, "second")} from one IPv4 address or IPv6 /64 network; retry in ${pluralize(wait, "second")}.`,
      { "Retry-After": String(wait) },
      "pagesOfAddress",
    ),
  limitExceeded: (name: keyof KeyLimits, wait: number, headers: Readonly<Record<string, string>>) =>
    new HttpError(
      429,
      `${exceededLimits[name]} (limits.${name}); retry in ${pluralize(wait, "second")}.`,
      { "Retry-After": String(wait), ...headers },
      name,
    ),
  overloaded: () =>
    new HttpError(503, "Server overloaded: too many requests are waiting; retry in 1 second.", { "Retry-After": "1" }, "serverLoad"),
  planned: (path: string) => new HttpError(501, `Endpoint ${path} is planned but not implemented yet.`),
  urlTooLong: (length: number, bound: number) =>
    new HttpError(400, `URL too long: ${length} bytes; the maximum is ${bound} (limits.urlBytes).`),
  tooManyQueryParameters: (count: number, bound: number) =>
    new HttpError(400, `Too many query parameters: ${count}; the maximum is ${bound}.`),
  urlEncoding: (location: string) => new HttpError(400, `Invalid percent-encoding in ${location}: expected UTF-8 encoded as in RFC 3986.`),
  invalidTarget: () => new HttpError(400, "Invalid request target: expected a path that starts with a slash."),
  hostInvalid: () => new HttpError(400, "Missing or invalid Host header: expected a host name with an optional port."),
  pageTooDeep: (rows: number, bound: number, setting: string) =>
    new HttpError(
      400,
      `Page too deep: ${rows} rows before it; the maximum is ${bound} (limits.${setting}); request a smaller range or use a filter.`,
    ),
  statementTimeout: (milliseconds: number) =>
    new HttpError(
      503,
      `Query timeout: the query exceeded ${milliseconds} ms (limits.statementMilliseconds); request fewer items or a smaller range.`,
      { "Retry-After": "5" },
    ),
  deadlinePassed: (milliseconds: number) =>
    new HttpError(
      503,
      `Request timeout: the request exceeded ${milliseconds} ms (limits.requestMilliseconds); request fewer items or a smaller range.`,
      { "Retry-After": "5" },
    ),
  /** Never sent: it ends the work for a client that has disconnected. */
  clientGone: () => new HttpError(408, "The client closed the connection before the response."),
  databaseDown: () => new HttpError(503, "The index is temporarily unavailable; retry in a few seconds.", { "Retry-After": "5" }),
  notReady: (reasons: readonly string[]) => new HttpError(503, reasons.join(" "), { "Retry-After": "5" }),
  requestViolation: (operation: string, violation: string) =>
    new HttpError(400, `Request to ${operation} violates the OpenAPI document: ${violation}.`),
  internal: (requestId: string) => new HttpError(500, `Internal server error; report the request id ${requestId} to the operator.`),
} as const;

/** One failure with a sentence per invalid parameter. */
export function badParameters(issues: readonly Issue[]): HttpError {
  const sentences = issues.map(({ parameter, sent, expected }) => {
    const problem = sent === "" ? "Missing value" : `Invalid value ${JSON.stringify(sent)}`;
    return `${problem} for ${parameter}: expected ${expected}.`;
  });
  return new HttpError(400, sentences.join(" "));
}

const retryHeaders = ({ retryAfterSeconds }: RequestError): Failure["headers"] =>
  retryAfterSeconds === null ? {} : { "Retry-After": String(retryAfterSeconds) };

/** The response to a thrown value; its message is shown only if it was written for the client. */
export function toFailure(error: unknown, requestId: string, statementMilliseconds: number): Failure {
  const failure = (cause: HttpError | RequestError, isUnexpected: boolean): Failure => ({
    status: cause.status,
    message: cause.message,
    headers: cause instanceof HttpError ? cause.headers : retryHeaders(cause),
    isUnexpected,
  });
  if (error instanceof HttpError || error instanceof RequestError) return failure(error, false);
  if (error instanceof URIError) return failure(failures.urlEncoding("the path"), false);
  if (error instanceof Error) {
    if (error instanceof DatabaseUnavailable || isConnectionStale(error)) return failure(failures.databaseDown(), true);
    if (isCancelled(error)) return failure(failures.statementTimeout(statementMilliseconds), true);
  }
  return failure(failures.internal(requestId), true);
}
