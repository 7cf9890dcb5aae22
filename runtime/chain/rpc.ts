import { setTimeout as sleep } from "node:timers/promises";
import PQueue from "p-queue";
import { Pool } from "undici";
import { RpcError, TransportError } from "./errors.ts";
import { redact } from "./redact.ts";

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export type RpcResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: RpcError };

/** JSON-RPC 2.0 of one node. */
export interface Rpc {
  /** One call. @throws {RpcError} the node's own error. @throws {TransportError} when the tries are used up. */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Many calls, in as few requests as the batch size allows, answered in order; a call's own error does not touch the others. */
  settle(calls: readonly RpcCall[]): Promise<RpcResult[]>;
  /** Many calls of which each must succeed. @throws {RpcError} the first error among them. */
  batch(calls: readonly RpcCall[]): Promise<unknown[]>;
  close(): Promise<void>;
}

export interface RpcOptions {
  /** May hold a secret: no message of this module shows more of it than its host. */
  readonly url: string;
  /** Calls in one HTTP request; 1 sends plain requests, for nodes without batches. */
  readonly batchSize?: number;
  /** HTTP requests in flight. */
  readonly concurrency?: number;
  readonly timeoutMilliseconds?: number;
  /** Further tries after a failure that may pass. */
  readonly retries?: number;
  readonly backOffMilliseconds?: number;
  readonly random?: () => number;
  readonly onRetry?: (reason: string, attempt: number) => void;
}

interface Endpoint {
  readonly url: URL;
  readonly path: string;
  readonly pool: Pool;
  readonly headers: Record<string, string>;
  readonly timeoutMilliseconds: number;
  /** Aborted when the client is closed: nothing is tried again then. */
  readonly closed: AbortSignal;
}

/** Error codes by which nodes say "too many requests" (EIP-1474's limit exceeded among them). */
const limitCodes = new Set([-32005, -32007, -32029, 429]);
const longestWait = 20_000;

/** Opens no connection before the first call. */
export const createRpc = (options: RpcOptions): Rpc => {
  const { batchSize = 100, concurrency = 8, timeoutMilliseconds = 30_000 } = options;
  const url = new URL(options.url);
  const queue = new PQueue({ concurrency });
  const closing = new AbortController();
  const endpoint: Endpoint = {
    url,
    path: `${url.pathname}${url.search}`,
    pool: new Pool(url.origin, { connections: concurrency, connectTimeout: timeoutMilliseconds }),
    headers: {
      "content-type": "application/json",
      ...(url.username === "" ? {} : { authorization: `Basic ${Buffer.from(credentials(url)).toString("base64")}` }),
    },
    timeoutMilliseconds,
    closed: closing.signal,
  };
  const send = (calls: readonly RpcCall[]) =>
    queue.add(() => withRetry(() => post(endpoint, calls), options, closing.signal)) as Promise<RpcResult[]>;
  const settle = async (calls: readonly RpcCall[]): Promise<RpcResult[]> => {
    const parts: Promise<RpcResult[]>[] = [];
    for (let start = 0; start < calls.length; start += batchSize) parts.push(send(calls.slice(start, start + batchSize)));
    return (await Promise.all(parts)).flat();
  };
  const batch = async (calls: readonly RpcCall[]): Promise<unknown[]> => (await settle(calls)).map(valueOrThrow);
  return {
    settle,
    batch,
    request: async (method, params) => (await batch([{ method, params }]))[0],
    close: async () => {
      closing.abort();
      queue.clear();
      await endpoint.pool.destroy();
    },
  };
};

const valueOrThrow = (result: RpcResult): unknown => {
  if (!result.ok) throw result.error;
  return result.value;
};

const credentials = (url: URL): string => `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;

/** Exponential back-off with full jitter, so that clients that failed together do not come back together. */
const withRetry = async <T>(work: () => Promise<T>, options: RpcOptions, closed: AbortSignal): Promise<T> => {
  const { retries = 6, backOffMilliseconds = 200, random = Math.random } = options;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TransportError) || error.cause === final || closed.aborted || attempt >= retries) throw error;
      options.onRetry?.(error.message, attempt + 1);
      const ceiling = Math.min(longestWait, backOffMilliseconds * 2 ** attempt);
      await sleep(ceiling / 2 + (random() * ceiling) / 2, undefined, { signal: closed }).catch(() => undefined);
      if (closed.aborted) throw error;
    }
  }
};

/** The cause of a transport error that no further try can mend. */
const final = Symbol("final");

const post = async (endpoint: Endpoint, calls: readonly RpcCall[]): Promise<RpcResult[]> => {
  const messages = calls.map((call, index) => ({ jsonrpc: "2.0", id: index + 1, method: call.method, params: call.params }));
  const body = JSON.stringify(messages.length === 1 ? messages[0] : messages);
  const { status, text } = await exchange(endpoint, body);
  const reply = parseReply(text);
  if (reply === undefined) throw statusError(endpoint, status);
  // A whole batch may be answered by one error object, whatever the HTTP status.
  if (!Array.isArray(reply) && calls.length > 1) throw wholeError(endpoint, status, reply);
  return pair(endpoint, calls, Array.isArray(reply) ? reply : [reply], status);
};

const exchange = async (endpoint: Endpoint, body: string): Promise<{ status: number; text: string }> => {
  const { pool, path, headers, timeoutMilliseconds, url } = endpoint;
  try {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const response = await pool.request({ path, method: "POST", headers, body, signal });
    return { status: response.statusCode, text: await response.body.text() };
  } catch (error) {
    throw new TransportError(`The node at ${url.host} cannot be reached: ${reasonOf(error, endpoint)}.`);
  }
};

const reasonOf = (error: unknown, { url, timeoutMilliseconds }: Endpoint): string => {
  if (!(error instanceof Error)) return "unknown reason";
  if (error.name === "TimeoutError") return `no answer within ${timeoutMilliseconds} ms`;
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === "string" ? code : redact(error.message, url);
};

const parseReply = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

const statusError = ({ url }: Endpoint, status: number): TransportError => {
  const passing = status === 200 || status === 408 || status === 429 || status >= 500;
  const reason = status === 200 ? "what is not JSON-RPC" : `HTTP status ${status}`;
  return new TransportError(`The node at ${url.host} answered with ${reason}.`, passing ? {} : { cause: final });
};

const wholeError = (endpoint: Endpoint, status: number, reply: unknown): Error => {
  const error = (reply as { error?: unknown }).error;
  if (typeof error !== "object" || error === null) return statusError(endpoint, status);
  const { code, message } = readError(error, endpoint.url);
  return new TransportError(`The node at ${endpoint.url.host} refused a batch of calls with error ${code}: ${message}`);
};

const readError = (error: object, url: URL): { code: number; message: string } => {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return { code: typeof code === "number" ? code : 0, message: redact(typeof message === "string" ? message : "no message", url) };
};

/** Replies may come in any order (JSON-RPC 2.0, section 6): they are told apart by id. */
const pair = (endpoint: Endpoint, calls: readonly RpcCall[], replies: readonly unknown[], status: number): RpcResult[] => {
  const byId = new Map<unknown, { result?: unknown; error?: unknown }>();
  for (const reply of replies) {
    if (typeof reply === "object" && reply !== null) byId.set((reply as { id?: unknown }).id, reply);
  }
  return calls.map((call, index) => {
    const reply = byId.get(index + 1) ?? (calls.length === 1 ? byId.get(null) : undefined);
    if (reply === undefined) throw statusError(endpoint, status);
    if (typeof reply.error === "object" && reply.error !== null) {
      const { code, message } = readError(reply.error, endpoint.url);
      if (limitCodes.has(code)) throw new TransportError(`The node at ${endpoint.url.host} asks for fewer requests: ${message}`);
      return { ok: false, error: new RpcError(call.method, code, message) };
    }
    if (!("result" in reply)) throw statusError(endpoint, status);
    return { ok: true, value: reply.result };
  });
};
