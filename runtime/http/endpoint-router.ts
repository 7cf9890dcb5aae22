import { type RequestHandler, Router } from "express";

/** A router with one table of routes for each word that tells endpoints apart, so that a request is compared with a few routes instead of all. */
export interface EndpointRouter {
  get(path: string, handler: RequestHandler): void;
  readonly handle: RequestHandler;
}

/** The second segment where it is a word (`/v1/chains/`), else the third (`/v1/:chainName/events/`), marked as such. */
function wordOf(path: string): string {
  const [, , second = "", third = ""] = path.split("/");
  return second.startsWith(":") ? `:/${third}` : second;
}

/** Express routers behind one table; the order of routes holds within a word, and a word before a parameter. */
export function createEndpointRouter(): EndpointRouter {
  const routers = new Map<string, Router>();
  const routerOf = (word: string): Router => {
    const router = routers.get(word) ?? Router({ caseSensitive: true });
    routers.set(word, router);
    return router;
  };
  return {
    get(path, handler) {
      routerOf(wordOf(path)).get(path, handler);
    },
    handle(request, response, next) {
      const [, , second = "", third = ""] = request.url.split("/");
      const word = routers.get(second);
      const parameter = routers.get(`:/${third}`);
      const afterWord = (error?: unknown): unknown =>
        error !== undefined || parameter === undefined ? next(error) : parameter(request, response, next);
      return word === undefined ? afterWord() : word(request, response, afterWord);
    },
  };
}
