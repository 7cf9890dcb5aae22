import type { IncomingMessage } from "node:http";

/** The response to a request with ambiguous framing: proxy and server may disagree about its end or its host (request smuggling). */
export interface FramingError {
  readonly status: 400 | 501;
  readonly message: string;
}

const badRequest = (message: string): FramingError => ({ status: 400, message });
/** How often a header occurs; raw headers alternate between names and values. */
const countOf = (rawHeaders: readonly string[], name: string): number =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;

/** The framing error of a request that node:http accepts; null if there is none. node:http itself rejects two lengths and malformed chunks. */
export function framingErrorOf({ headers, httpVersion, rawHeaders }: Pick<IncomingMessage, "headers" | "httpVersion" | "rawHeaders">) {
  // RFC 9112, section 3.2.
  if (countOf(rawHeaders, "host") > 1) return badRequest("Multiple Host headers: expected exactly one.");
  const sent = headers["transfer-encoding"];
  return sent === undefined ? null : codingErrorOf(sent, httpVersion);
}

function codingErrorOf(sent: string, httpVersion: string): FramingError | null {
  // RFC 9112, section 6.1.
  if (httpVersion === "1.0") return badRequest("Invalid Transfer-Encoding in an HTTP/1.0 request: use Content-Length.");
  const codings = sent.split(",").map((coding) => coding.trim().toLowerCase());
  const last = codings.at(-1);
  // Section 6.3: the length of the body is unknown unless chunked is the last coding. Parsers disagree about empty elements.
  if (last !== "chunked" || codings.includes("") || codings.indexOf("chunked") < codings.length - 1)
    return badRequest(
      `Invalid Transfer-Encoding ${JSON.stringify(sent.slice(0, 100))}: expected a list that ends with a single "chunked".`,
    );
  if (codings.length === 1) return null;
  return {
    status: 501,
    message: `Unsupported Transfer-Encoding ${JSON.stringify(sent.slice(0, 100))}: expected "chunked" as the only coding.`,
  };
}
