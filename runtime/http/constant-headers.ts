import type { Request, RequestHandler, Response } from "express";

/** A header and its value. */
export type Header = readonly [name: string, value: string];

/**
 * What middlewares whose headers depend on no request would set, asked once: running them for each request costs more than the rest of a small answer.
 * @throws where one asks about more than the method and the headers of the request.
 */
export function constantHeaders(middlewares: readonly RequestHandler[]): readonly Header[] {
  const headers = new Map<string, string>();
  const request = { method: "GET", headers: {} } as Request;
  const response = {
    setHeader: (name: string, value: string | number | readonly string[]) => headers.set(name, String(value)),
    getHeader: (name: string) => headers.get(name),
    removeHeader: (name: string) => headers.delete(name),
  };
  for (const middleware of middlewares) {
    let passed = false;
    middleware(request, response as unknown as Response, (error?: unknown) => {
      if (error !== undefined) throw error;
      passed = true;
    });
    if (!passed) throw new Error("A middleware of constant headers answers or waits.");
  }
  return [...headers];
}
