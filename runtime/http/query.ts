import { failures } from "./errors.ts";

/** The default of `node:querystring`, more than ten times as many as any endpoint has parameters. */
const maxQueryParameters = 1_000;

/** A parsed query, without a prototype, so that no name is special. */
export type Query = Record<string, string | readonly string[]>;

function decode(text: string, name: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw failures.urlEncoding(name);
  }
}

/**
 * Parses a query strictly (WHATWG URL, application/x-www-form-urlencoded); a repeated name has an array of values. @throws {HttpError} 400 if it is malformed.
 */
export function parseQuery(text: string): Query {
  const query: Query = Object.create(null) as Query;
  if (text === "") return query;
  const pairs = text.split("&").filter((pair) => pair !== "");
  if (pairs.length > maxQueryParameters) throw failures.tooManyQueryParameters(pairs.length, maxQueryParameters);
  const lists = new Map<string, string[]>();
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), "the name of a query parameter").trim();
    const value = equals === -1 ? "" : decode(pair.slice(equals + 1), `parameter ${JSON.stringify(name.slice(0, 100))}`);
    const list = lists.get(name);
    if (list === undefined) {
      lists.set(name, [value]);
      query[name] = value;
    } else {
      list.push(value);
      query[name] = list;
    }
  }
  return query;
}
