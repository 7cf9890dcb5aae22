import type { Readable } from "node:stream";
import { Pool } from "undici";
import type { RpcCall, RpcResult } from "./call.ts";
import { LimitError, RpcError } from "./errors.ts";
import { redact } from "./redact.ts";
import { type FailureKind, failureKindOfStatus, limitOfError, RequestFailure } from "./request-failure.ts";

/** The outcome of one request: a result for each call, or the limit that the call exceeded, after which it is sent again. */
export interface EndpointResponse {
  readonly results: readonly (RpcResult | { readonly limit: "size" | "rate"; readonly message: string })[];
  /** The size of the response. */
  readonly bytes: number;
}

export interface Endpoint {
  /** Sends calls as one HTTP request. @throws {RequestFailure} if a call has no result. */
  send(calls: readonly RpcCall[]): Promise<EndpointResponse>;
  readonly host: string;
  close(): Promise<void>;
}

/** Larger responses are not read completely. The largest blocks' traces are a few dozen megabytes; a V8 string can have at most 512 MB. */
const defaultMaxResponseBytes = 256 * 1024 * 1024;

/** The text of a response. @throws {RequestFailure} if it is too large; the next requests then contain fewer calls. */
const readText = async (body: Readable, { host }: URL, maxBytes: number): Promise<string> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) throw new RequestFailure("size", `The node at ${host} returned more than ${maxBytes} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
};

/** A node's HTTP endpoint; messages show only the host of its URL. It connects on the first request. */
export const createEndpoint = (
  address: string,
  concurrency: number,
  timeoutMilliseconds: number,
  parseJson: (text: string) => unknown = JSON.parse,
  maxResponseBytes = defaultMaxResponseBytes,
): Endpoint => {
  const url = new URL(address);
  const pool = new Pool(url.origin, { connections: concurrency, connectTimeout: timeoutMilliseconds });
  const path = `${url.pathname}${url.search}`;
  const headers = {
    "content-type": "application/json",
    ...(url.username === "" ? {} : { authorization: `Basic ${Buffer.from(credentials(url)).toString("base64")}` }),
  };

  const post = async (body: string) => {
    try {
      const signal = AbortSignal.timeout(timeoutMilliseconds);
      const response = await pool.request({ path, method: "POST", headers, body, signal });
      const text = await readText(response.body, url, maxResponseBytes);
      return { status: response.statusCode, text, retryAfter: millisecondsIn(response.headers["retry-after"]) };
    } catch (error) {
      if (error instanceof RequestFailure) throw error;
      const [kind, reason] = reasonOf(error, url, timeoutMilliseconds);
      throw new RequestFailure(kind, `The node at ${url.host} cannot be reached: ${reason}.`);
    }
  };

  return {
    host: url.host,
    close: () => pool.destroy(),
    send: async (calls) => {
      const messages = calls.map((call, index) => ({ jsonrpc: "2.0", id: index + 1, method: call.method, params: call.params }));
      const { status, text, retryAfter } = await post(JSON.stringify(messages.length === 1 ? messages[0] : messages));
      const reply = parseReply(text, parseJson);
      if (reply === undefined) throw statusFailure(url, status, retryAfter);
      // The response to an entire batch may be one error object, with any HTTP status.
      if (!Array.isArray(reply) && calls.length > 1) throw batchFailure(url, status, reply, retryAfter);
      return { results: pair(url, calls, Array.isArray(reply) ? reply : [reply], status, retryAfter), bytes: text.length };
    },
  };
};

const credentials = (url: URL): string => `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;

const millisecondsIn = (header: string | string[] | undefined): number | null => {
  const seconds = Number(header);
  return header === undefined || !Number.isFinite(seconds) || seconds < 0 ? null : seconds * 1_000;
};

const unreachable = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

const reasonOf = (error: unknown, url: URL, timeoutMilliseconds: number): [FailureKind, string] => {
  if (!(error instanceof Error)) return ["transient", "unknown reason"];
  if (error.name === "TimeoutError") return ["size", `no response within ${timeoutMilliseconds} ms`];
  const code = (error as NodeJS.ErrnoException).code;
  if (typeof code !== "string") return ["transient", redact(error.message, url)];
  return [unreachable.has(code) ? "down" : "transient", code];
};

const parseReply = (text: string, parseJson: (text: string) => unknown): unknown => {
  try {
    const value = parseJson(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

const statusFailure = ({ host }: URL, status: number, retryAfter: number | null): RequestFailure => {
  const reason = status === 200 ? "a body that is not JSON-RPC" : `HTTP status ${status}`;
  return new RequestFailure(failureKindOfStatus(status), `The node at ${host} returned ${reason}.`, retryAfter);
};

const batchFailure = (url: URL, status: number, reply: unknown, retryAfter: number | null): RequestFailure => {
  const error = (reply as { error?: unknown }).error;
  if (typeof error !== "object" || error === null) return statusFailure(url, status, retryAfter);
  const { code, message } = readError(error, url);
  // Smaller batches, and finally single calls, may succeed whatever the message says.
  const kind = limitOfError(code, message) ?? (status === 429 ? "rate" : "size");
  return new RequestFailure(kind, `The node at ${url.host} rejected a batch of calls with error ${code}: ${message}`, retryAfter);
};

const readError = (error: object, url: URL): { code: number; message: string } => {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return { code: typeof code === "number" ? code : 0, message: redact(typeof message === "string" ? message : "no message", url) };
};

/** Matches responses with calls by id, because they may be in any order (JSON-RPC 2.0, section 6). */
const pair = (
  url: URL,
  calls: readonly RpcCall[],
  replies: readonly unknown[],
  status: number,
  retryAfter: number | null,
): EndpointResponse["results"] => {
  const byId = new Map<unknown, { result?: unknown; error?: unknown }>();
  for (const reply of replies) {
    if (typeof reply === "object" && reply !== null) byId.set((reply as { id?: unknown }).id, reply);
  }
  return calls.map((call, index) => {
    const reply = byId.get(index + 1) ?? (calls.length === 1 ? byId.get(null) : undefined);
    if (reply === undefined) throw statusFailure(url, status, retryAfter);
    if (typeof reply.error === "object" && reply.error !== null) {
      const { code, message } = readError(reply.error, url);
      const limit = limitOfError(code, message);
      if (limit === "rate" || (limit === "size" && calls.length > 1)) return { limit, message };
      return { ok: false, error: limit === "size" ? new LimitError(call.method, code, message) : new RpcError(call.method, code, message) };
    }
    if (!("result" in reply)) throw statusFailure(url, status, retryAfter);
    return { ok: true, value: reply.result };
  });
};
