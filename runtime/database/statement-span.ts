import type { Span } from "../lib/tracing.ts";

const maxTextLength = 2_000;

/**
 * Starts a statement's span, or a transaction's if there is no text. The text of request statements contains no values: they are parameters.
 */
export const startStatementSpan = (request: Span, text: string | undefined): Span => {
  const operation = text === undefined ? "TRANSACTION" : (/^\s*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? "STATEMENT");
  const attributes = { "db.system.name": "postgresql", "db.operation.name": operation };
  return request.startChild(
    operation,
    "client",
    text === undefined ? attributes : { ...attributes, "db.query.text": text.slice(0, maxTextLength) },
  );
};
