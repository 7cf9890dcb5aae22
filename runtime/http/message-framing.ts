import type { IncomingMessage } from "node:http";

/** Why a request cannot be answered: servers in a row may read its end, or whom it is for, in different ways. */
export interface FramingFault {
  readonly status: 400 | 501;
  readonly message: string;
}

const refused = (message: string): FramingFault => ({ status: 400, message });
/** A header's name among those of a request, in the order name, value, name, value. */
const countOf = (rawHeaders: readonly string[], name: string): number =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;

/** What is wrong with the framing of a request that node:http lets through, or null. It refuses two lengths and malformed chunks itself. */
export function framingFault({ headers, httpVersion, rawHeaders }: Pick<IncomingMessage, "headers" | "httpVersion" | "rawHeaders">) {
  // RFC 9112, section 3.2.
  if (countOf(rawHeaders, "host") > 1) return refused("Multiple Host headers: expected exactly one.");
  const sent = headers["transfer-encoding"];
  return sent === undefined ? null : codingFault(sent, httpVersion);
}

function codingFault(sent: string, httpVersion: string): FramingFault | null {
  // RFC 9112, section 6.1.
  if (httpVersion === "1.0") return refused("Invalid Transfer-Encoding in an HTTP/1.0 request: use Content-Length.");
  const codings = sent.split(",").map((coding) => coding.trim().toLowerCase());
  const last = codings.at(-1);
  // Section 6.3: without chunked at the end, the length of the body is not known. An empty element is read by some and skipped by others.
  if (last !== "chunked" || codings.includes("") || codings.indexOf("chunked") < codings.length - 1)
    return refused(`Invalid Transfer-Encoding ${JSON.stringify(sent.slice(0, 100))}: expected chunked, once.`);
  if (codings.length === 1) return null;
  return { status: 501, message: `Unsupported Transfer-Encoding ${JSON.stringify(sent.slice(0, 100))}: expected chunked, once.` };
}
