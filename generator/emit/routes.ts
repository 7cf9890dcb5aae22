import type { Model, Operation } from "../model/model.ts";
import { compareRoutes, expressPath } from "../model/route-order.ts";
import { importList } from "./handlers.ts";
import { parseName } from "./requests.ts";
import { compileTemplate, literal } from "./template.ts";

interface RoutesView {
  readonly parsers: readonly string[];
  readonly routes: readonly { readonly path: string; readonly id: string; readonly parse: string; readonly handler: string }[];
}

const renderRoutes = compileTemplate<RoutesView>("routes");

/** Emits the registration of every endpoint, ordered so that overlapping paths match the most specific one. */
export function emitRoutes(model: Model): string {
  const routes = [...model.operations].sort((left, right) => compareRoutes(left.segments, right.segments));
  return renderRoutes({
    parsers: importList(model.handlers.map((handler) => parseName(handler.id))),
    routes: routes.map((operation) => ({
      path: literal(expressPath(operation.segments)),
      id: operation.id,
      parse: parseOf(operation),
      handler: handlerOf(operation),
    })),
  });
}

// Protocols share an operation's handler, which is live if at least one of them implements it.
function handlerOf({ handler, protocol, status }: Operation): string {
  return protocol !== null && status === "planned" ? "undefined" : `handlers.${handler}`;
}

function parseOf({ handler, protocol }: Operation): string {
  return protocol === null ? parseName(handler) : `(raw, parsers) => ${parseName(handler)}(raw, parsers, ${literal(protocol)})`;
}
