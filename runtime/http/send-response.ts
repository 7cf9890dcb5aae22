import type { ServerResponse } from "node:http";
import type { Operation } from "../../generated/operations.gen.ts";
import { responseTooLarge } from "../lib/request-error.ts";
import type { Compression } from "./compression/compression.ts";
import { sendCompressed } from "./compression/send-compressed.ts";
import type { Header } from "./constant-headers.ts";
import { csvChunks, csvType, measureCsv, writeCsv } from "./csv.ts";
import { jsonType, setHeaders } from "./envelope.ts";
import { jsonBody } from "./json-body.ts";
import { matchesEntityTag, type RenderedResponse, type SerializedResponse } from "./response-cache/rendered-response.ts";

/** Replaces everything except visible ASCII and spaces with question marks. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]+/g, "?").slice(0, 500);

/** The headers that depend on the data: its warning, and the pagination, which the rows of CSV cannot contain. */
function headersOf(data: unknown, format: "json" | "csv"): Header[] {
  if (typeof data !== "object" || data === null) return [];
  const headers: Header[] = [];
  const { warning, pagination } = data as { warning?: unknown; pagination?: { has_more?: unknown; total_count?: unknown } | null };
  if (typeof warning === "string") headers.push(["X-Warning", headerText(warning)]);
  if (format === "json" || pagination === undefined || pagination === null) return headers;
  if (typeof pagination.has_more === "boolean") headers.push(["X-Has-More", String(pagination.has_more)]);
  if (typeof pagination.total_count === "number") headers.push(["X-Total-Count", String(pagination.total_count)]);
  return headers;
}

/** A response's body as JSON. @throws {RequestError} 400 if it is too large. */
function boundedJson(data: unknown, responseBytes: number): Buffer | Promise<Buffer> {
  const check = (body: Buffer): Buffer => {
    if (body.length > responseBytes) throw responseTooLarge(body.length, responseBytes);
    return body;
  };
  const body = jsonBody(data, responseBytes);
  return body instanceof Promise ? body.then(check) : check(body);
}

/** A lower bound for a response's size as CSV. @throws {RequestError} 400 if it is too large. */
async function csvBytes(operation: Operation, data: unknown, responseBytes: number): Promise<number> {
  const bytes = await measureCsv(operation, data, responseBytes);
  if (bytes > responseBytes) throw responseTooLarge(bytes, responseBytes);
  return bytes;
}

/** Serializes a complete response; null for CSV of more than `maxBytes`, which is written in chunks. @throws {RequestError} 400 if it is too large. */
export async function serialize(
  operation: Operation,
  data: unknown,
  format: "json" | "csv",
  responseBytes: number,
  maxBytes: number,
): Promise<SerializedResponse | null> {
  const headers = headersOf(data, format);
  if (format === "json") return { contentType: jsonType, body: await boundedJson(data, responseBytes), headers };
  if ((await csvBytes(operation, data, responseBytes)) > maxBytes) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of csvChunks(operation, data)) chunks.push(Buffer.from(chunk));
  return { contentType: csvType, body: Buffer.concat(chunks), headers };
}

/** Whether the client has disconnected, which is not a failure. */
const isAbort = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ERR_STREAM_PREMATURE_CLOSE" || error.code === "ECONNRESET" || error.code === "EPIPE");

/**
 * Sends data as an envelope or as CSV; `charge` runs before the first byte with the size of the response, and may still reject the request.
 * @throws {RequestError} 400 if the response is too large.
 */
export async function sendResponse(
  response: ServerResponse,
  operation: Operation,
  data: unknown,
  format: "json" | "csv",
  { responseBytes, compression }: { readonly responseBytes: number; readonly compression: Compression },
  charge: (bytes: number) => void,
): Promise<void> {
  if (format === "json") {
    const bounded = boundedJson(data, responseBytes);
    const body = bounded instanceof Promise ? await bounded : bounded;
    charge(body.length);
    const plain = { contentType: jsonType, body, headers: headersOf(data, format) };
    const sent = sendCompressed(response, plain, compression, (coding) => compression.encode(body, coding));
    if (sent !== undefined) await sent;
    return;
  }
  const bytes = await csvBytes(operation, data, responseBytes);
  charge(bytes);
  const coding = compression.select(response.req, response, bytes);
  const isHead = response.req.method === "HEAD";
  const encoder = coding === null || isHead ? null : compression.createStream(coding, bytes);
  response.statusCode = 200;
  setHeaders(response, [["Content-Type", csvType], ...headersOf(data, format)]);
  if (coding !== null && (isHead || encoder !== null)) response.setHeader("Content-Encoding", coding);
  if (isHead) {
    response.end();
    return;
  }
  try {
    await writeCsv(operation, data, response, encoder);
  } catch (error) {
    if (!isAbort(error)) throw error;
  }
}

/** Sends a response that may be cached: 304 without a body if the client already has it. */
export async function sendRendered(
  response: ServerResponse,
  rendered: RenderedResponse,
  { compression, isPublic }: { readonly compression: Compression; readonly isPublic: boolean },
): Promise<void> {
  const cached: Header[] =
    rendered.tag === null
      ? []
      : [
          ["ETag", rendered.tag],
          ["Cache-Control", isPublic ? "public, no-cache" : "private, no-cache"],
        ];
  const headers = [...rendered.headers, ...cached];
  if (matchesEntityTag(response.req.headers["if-none-match"], rendered.tag)) {
    compression.select(response.req, response, 0);
    response.statusCode = 304;
    setHeaders(response, headers);
    response.end();
    return;
  }
  const { contentType, body, encode } = rendered;
  await sendCompressed(response, { contentType, body, headers }, compression, encode);
}
