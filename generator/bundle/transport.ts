import type { Success } from "./envelope.ts";

/** The part of `fetch` that the client uses; any implementation can be passed. */
export type Fetch = (
  url: string,
  init: { readonly method: "GET"; readonly headers: Readonly<Record<string, string>>; readonly signal?: AbortSignal },
) => Promise<{ readonly ok: boolean; readonly status: number; json(): Promise<unknown> }>;

export interface ClientOptions {
  /** The URL of the service, such as `https://api.example.com`. */
  readonly baseUrl: string;
  /** The API key, sent in a header; it is never part of a URL or an error. */
  readonly key: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A failed call, with the HTTP status of the response, or 0 if there was none. */
export class AshlarError extends Error {
  override readonly name = "AshlarError";
  readonly operation: string;
  readonly status: number;

  constructor(operation: string, status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.operation = operation;
    this.status = status;
  }
}

/** Calls an operation. `path` has parameters in braces; `query` maps the client's parameter names to those of the interface. */
export type Call = <Data>(
  operation: string,
  path: string,
  query: Readonly<Record<string, string>>,
  parameters: object,
  options: CallOptions,
) => Promise<Success<Data>>;

/** Creates the function that all methods of a client call. */
export function createCall({ baseUrl, key, fetch = globalThis.fetch }: ClientOptions): Call {
  // Checked first, because the error that fetch throws for an invalid header contains the header.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new TypeError("Invalid API key: it is empty, or contains characters that a header cannot contain.");
  const root = baseUrl.replace(/\/+$/, "");
  const headers = { accept: "application/json", authorization: `Bearer ${key}` };

  return async <Data>(
    operation: string,
    path: string,
    query: Readonly<Record<string, string>>,
    parameters: object,
    options: CallOptions,
  ) => {
    const url = `${root}${pathOf(path, parameters)}${queryOf(query, parameters)}`;
    const fail = (status: number, message: string, cause: unknown): never => {
      throw new AshlarError(operation, status, options.signal?.aborted ? "The call was aborted." : message, { cause });
    };
    const response = await fetch(url, { method: "GET", headers, ...options }).catch((cause: unknown) =>
      fail(0, "The service could not be reached.", cause),
    );
    const body = await response.json().catch((cause: unknown) => {
      const problem = cause instanceof SyntaxError ? "is not JSON" : "ended early";
      return fail(response.status, `The response with status ${response.status} ${problem}.`, cause);
    });
    if (response.ok && isSuccess<Data>(body)) return body;
    const problem = response.ok
      ? `The response with status ${response.status} has an unexpected body: expected the fields data and error.`
      : `The service responded with status ${response.status}.`;
    throw new AshlarError(operation, response.status, messageOf(body) ?? problem);
  };
}

interface Paged {
  readonly pagination: { readonly has_more: boolean } | null;
}

interface Linked {
  readonly links: { readonly prev: string | null; readonly next: string | null };
}

/** Yields the pages by number, from the first to the last. */
export async function* pagesOf<Data extends Paged>(
  first: number | undefined,
  read: (page: number) => Promise<Success<Data>>,
): AsyncGenerator<Data, void, undefined> {
  for (let page = first ?? 0; ; page += 1) {
    const { data } = await read(page);
    yield data;
    if (data.pagination?.has_more !== true) return;
  }
}

/** Yields the pages by following links in one direction; `read` receives the path of a page, or null for the first page. */
export async function* linkedPagesOf<Data extends Linked>(
  direction: "prev" | "next",
  read: (path: string | null) => Promise<Success<Data>>,
): AsyncGenerator<Data, void, undefined> {
  for (let path: string | null = null; ; ) {
    const { data }: Success<Data> = await read(path);
    yield data;
    const link = data.links[direction];
    if (link === null) return;
    path = pathOfLink(link);
  }
}

/** The path of a page link. The link's host is ignored, so that the key is sent only to the client's base URL. */
function pathOfLink(link: string): string {
  const start = link.indexOf("/v1/");
  if (start < 0) throw new TypeError("Invalid page link: its path does not contain /v1/.");
  return link.slice(start);
}

function pathOf(path: string, parameters: object): string {
  const values = new Map<string, unknown>(Object.entries(parameters));
  return path.replace(/\{(\w+)\}/g, (_braces, name: string) => {
    const text = textOf(values.get(name));
    if (text === "") throw new TypeError(`Missing value for ${name}: the parameter is required.`);
    return encodeURIComponent(text);
  });
}

function queryOf(names: Readonly<Record<string, string>>, parameters: object): string {
  const sent = Object.entries(parameters).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    const wireName = names[name];
    return wireName === undefined || value === undefined || value === null ? [] : [[wireName, textOf(value)]];
  });
  return sent.length === 0 ? "" : `?${new URLSearchParams(sent)}`;
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}

function isSuccess<Data>(body: unknown): body is Success<Data> {
  return typeof body === "object" && body !== null && "data" in body && "error" in body && body.error === false;
}

function messageOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("error_message" in body)) return undefined;
  return typeof body.error_message === "string" ? body.error_message : undefined;
}
