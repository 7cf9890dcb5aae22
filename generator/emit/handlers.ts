import type { Handler, Model } from "../model/model.ts";
import { compareText } from "../model/names.ts";
import { requestName } from "./requests.ts";
import { compileTemplate } from "./template.ts";

interface HandlerView {
  readonly id: string;
  readonly request: string;
  readonly response: string;
}

interface HandlersView {
  readonly requests: readonly string[];
  readonly responses: readonly string[];
  readonly live: readonly HandlerView[];
  readonly planned: readonly HandlerView[];
}

const renderHandlers = compileTemplate<HandlersView>("handlers");

/** Emits the types of the handlers that the runtime passes to the routes. */
export function emitHandlers({ handlers }: Model): string {
  const viewsOfStatus = (status: Handler["status"]): HandlerView[] => handlers.filter((handler) => handler.status === status).map(viewOf);
  return renderHandlers({
    requests: importList(handlers.map((handler) => requestName(handler.id))),
    responses: importList(handlers.map((handler) => handler.operation.response)),
    live: viewsOfStatus("live"),
    planned: viewsOfStatus("planned"),
  });
}

function viewOf({ id, operation }: Handler): HandlerView {
  return { id, request: requestName(id), response: dataType(operation) };
}

/** The TypeScript type of an operation's `data`. */
export function dataType({ response, list }: Handler["operation"]): string {
  return list ? `readonly ${response}[]` : response;
}

/** The sorted names of an import clause, without duplicates. */
export function importList(names: readonly string[]): string[] {
  return [...new Set(names)].sort(compareText);
}
