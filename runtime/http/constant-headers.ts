import type { IncomingMessage, ServerResponse } from "node:http";

/** A header and its value. */
export type Header = readonly [name: string, value: string];

/** A middleware that sets headers, with Connect's signature. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * The headers that middlewares set on every request, computed once, because running them per request costs more than the rest of a small response.
 * @throws {Error} if a middleware reads more of the request than its method and headers.
 */
export function constantHeaders(middlewares: readonly Middleware[]): readonly Header[] {
  const headers = new Map<string, string>();
  const request = { method: "GET", headers: {} } as IncomingMessage;
  const response = {
    setHeader: (name: string, value: string | number | readonly string[]) => headers.set(name, String(value)),
    getHeader: (name: string) => headers.get(name),
    removeHeader: (name: string) => headers.delete(name),
  };
  for (const middleware of middlewares) {
    let hasCalledNext = false;
    middleware(request, response as unknown as ServerResponse, (error?: unknown) => {
      if (error !== undefined) throw error;
      hasCalledNext = true;
    });
    if (!hasCalledNext) throw new Error("A middleware that sets constant headers must call next() synchronously.");
  }
  return [...headers];
}
