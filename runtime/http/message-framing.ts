import type { IncomingMessage } from "node:http";

/** An ambiguity in the framing of a request: proxy and server may disagree about its end or its host (request smuggling). */
export interface FramingFault {
  readonly status: 400 | 501;
  readonly message: string;
}

const badRequest = (message: string): FramingFault => ({ status: 400, message });
/** How often a header occurs; raw headers alternate between names and values. */
const countOf = (rawHeaders: readonly string[], name: string): number =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;

/** The framing fault of a request that node:http accepts, or null. node:http itself refuses two lengths and malformed chunks. */
export function framingFault({ headers, httpVersion, rawHeaders }: Pick<IncomingMessage, "headers" | "httpVersion" | "rawHeaders">) {
  // RFC 9112, section 3.2.
  if (countOf(rawHeaders, "host") > 1) return badRequest("Multiple Host headers: expected exactly one.");
  const sent = headers["transfer-encoding"];
  return sent === undefined ? null : codingFault(sent, httpVersion);
}

function codingFault(sent: string, httpVersion: string): FramingFault | null {
  // RFC 9112, section 6.1.
  if (httpVersion === "1.0") return badRequest("Invalid Transfer-Encoding in an HTTP/1.0 request: use Content-Length.");
  const codings = sent.split(",").map((coding) => coding.trim().toLowerCase());
  const last = codings.at(-1);
  // Section 6.3: unless chunked is last, the length of the body is unknown. Parsers disagree about empty elements.
  if (last !== "chunked" || codings.includes("") || codings.indexOf("chunked") < codings.length - 1)
    return badRequest(`Invalid Transfer-Encoding ${JSON.stringify(sent.slice(0, 100))}: expected chunked, once.`);
  if (codings.length === 1) return null;
  return { status: 501, message: `Unsupported Transfer-Encoding ${JSON.stringify(sent.slice(0, 100))}: expected chunked, once.` };
}
