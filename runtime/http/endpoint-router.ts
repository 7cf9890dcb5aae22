import { type RequestHandler, Router } from "express";

/** A router with one route table per distinguishing path segment, so that a request is matched against a few routes instead of all of them. */
export interface EndpointRouter {
  get(path: string, handler: RequestHandler): void;
  readonly handle: RequestHandler;
}

/** The second segment if it is literal (`/v1/chains/`), otherwise the third with a prefix (`/v1/:chainName/events/`). */
function segmentOf(path: string): string {
  const [, , second = "", third = ""] = path.split("/");
  return second.startsWith(":") ? `:/${third}` : second;
}

/** Creates Express routers by segment. Routes keep their order within a segment; a literal segment is tried before a parameter. */
export function createEndpointRouter(): EndpointRouter {
  const routers = new Map<string, Router>();
  const routerOf = (segment: string): Router => {
    const router = routers.get(segment) ?? Router({ caseSensitive: true });
    routers.set(segment, router);
    return router;
  };
  return {
    get(path, handler) {
      routerOf(segmentOf(path)).get(path, handler);
    },
    handle(request, response, next) {
      const [, , second = "", third = ""] = request.url.split("/");
      const literal = routers.get(second);
      const parameter = routers.get(`:/${third}`);
      const afterLiteral = (error?: unknown): unknown =>
        error !== undefined || parameter === undefined ? next(error) : parameter(request, response, next);
      return literal === undefined ? afterLiteral() : literal(request, response, afterLiteral);
    },
  };
}
