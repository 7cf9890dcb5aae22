import type { ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { Operation } from "../../generated/operations.gen.ts";
import type { Compression } from "./compression/compression.ts";
import { sendCompressed } from "./compression/send-compressed.ts";
import type { Header } from "./constant-headers.ts";
import { csvType, measureCsv, writeCsv } from "./csv.ts";
import { jsonType, successBody } from "./envelope.ts";
import { failures } from "./errors.ts";
import { hasTag, type RenderedResponse, type Serialized } from "./response-cache/rendered-response.ts";

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

/** The body of a response as JSON. @throws {HttpError} 400 if it is too large. */
function jsonBody(data: unknown, answerBytes: number): Buffer {
  // Encoded once: its length is needed before it is sent.
  const body = Buffer.from(successBody(data));
  if (body.length > answerBytes) throw failures.responseTooLarge(body.length, answerBytes);
  return body;
}

/** A lower bound of the size of a response as CSV. @throws {HttpError} 400 if it is too large. */
function csvBytes(operation: Operation, data: unknown, answerBytes: number): number {
  const bytes = measureCsv(operation, data, answerBytes);
  if (bytes > answerBytes) throw failures.responseTooLarge(bytes, answerBytes);
  return bytes;
}

/** Serializes a response as a whole; null for CSV of more than `maxBytes`, which is written row by row. @throws {HttpError} 400 if it is too large. */
export async function serialize(
  operation: Operation,
  data: unknown,
  format: "json" | "csv",
  answerBytes: number,
  maxBytes: number,
): Promise<Serialized | null> {
  const headers = headersOf(data, format);
  if (format === "json") return { contentType: jsonType, body: jsonBody(data, answerBytes), headers };
  if (csvBytes(operation, data, answerBytes) > maxBytes) return null;
  const output = new PassThrough();
  const [body] = await Promise.all([buffer(output), writeCsv(operation, data, output)]);
  return { contentType: csvType, body, headers };
}

/** Whether the client has disconnected, which is not a failure. */
const isAbort = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ERR_STREAM_PREMATURE_CLOSE" || error.code === "ECONNRESET" || error.code === "EPIPE");

/**
 * Sends data as an envelope or as CSV; `charge` runs before the first byte with the size of the response, and may still reject the request.
 * @throws {HttpError} 400 if the response is too large.
 */
export async function sendResponse(
  response: ServerResponse,
  operation: Operation,
  data: unknown,
  format: "json" | "csv",
  { answerBytes, compression }: { readonly answerBytes: number; readonly compression: Compression },
  charge: (bytes: number) => void,
): Promise<void> {
  if (format === "json") {
    const body = jsonBody(data, answerBytes);
    charge(body.length);
    setHeaders(response, headersOf(data, format));
    await sendCompressed(response, jsonType, body, compression, (coding) => compression.encode(body, coding));
    return;
  }
  const bytes = csvBytes(operation, data, answerBytes);
  charge(bytes);
  setHeaders(response, headersOf(data, format));
  response.statusCode = 200;
  response.setHeader("Content-Type", csvType);
  const coding = compression.select(response.req, response, bytes);
  if (response.req.method === "HEAD") {
    if (coding !== null) response.setHeader("Content-Encoding", coding);
    response.end();
    return;
  }
  const encoder = coding === null ? null : compression.createStream(coding, bytes);
  if (coding !== null && encoder !== null) response.setHeader("Content-Encoding", coding);
  try {
    await writeCsv(operation, data, response, encoder);
  } catch (error) {
    if (!isAbort(error)) throw error;
  }
}

/** Sends a response that may be kept: 304 without a body if the client already has it. */
export async function sendRendered(
  response: ServerResponse,
  rendered: RenderedResponse,
  { compression, isPublic }: { readonly compression: Compression; readonly isPublic: boolean },
): Promise<void> {
  setHeaders(response, rendered.headers);
  if (rendered.tag !== null) {
    response.setHeader("ETag", rendered.tag);
    response.setHeader("Cache-Control", isPublic ? "public, no-cache" : "private, no-cache");
  }
  if (hasTag(response.req.headers["if-none-match"], rendered.tag)) {
    compression.select(response.req, response, 0);
    response.statusCode = 304;
    response.end();
    return;
  }
  await sendCompressed(response, rendered.contentType, rendered.body, compression, rendered.encode);
}

function setHeaders(response: ServerResponse, headers: readonly Header[]): void {
  for (const [name, value] of headers) response.setHeader(name, value);
}
