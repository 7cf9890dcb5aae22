import type { ServerResponse } from "node:http";
import type { Operation } from "../../generated/operations.gen.ts";
import type { Compression } from "./compression/compression.ts";
import { sendCompressed } from "./compression/send-compressed.ts";
import { csvType, measureCsv, writeCsv } from "./csv.ts";
import { jsonType, successBody } from "./envelope.ts";
import { failures } from "./errors.ts";

/** Replaces everything except visible ASCII and spaces with question marks. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]+/g, "?").slice(0, 500);

function setWarning(response: ServerResponse, data: unknown): void {
  const warning = typeof data === "object" && data !== null ? (data as { warning?: unknown }).warning : undefined;
  if (typeof warning === "string") response.setHeader("X-Warning", headerText(warning));
}

/** Sets the headers of the pagination, which the rows of CSV cannot contain. */
function setPageState(response: ServerResponse, data: unknown): void {
  const pagination = (data as { pagination?: { has_more?: unknown; total_count?: unknown } | null } | null)?.pagination;
  if (pagination === undefined || pagination === null) return;
  if (typeof pagination.has_more === "boolean") response.setHeader("X-Has-More", String(pagination.has_more));
  if (typeof pagination.total_count === "number") response.setHeader("X-Total-Count", String(pagination.total_count));
}

/** Whether the client has disconnected, which is not a failure. */
const isAbort = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ERR_STREAM_PREMATURE_CLOSE" || error.code === "ECONNRESET" || error.code === "EPIPE");

/**
 * Sends data as an envelope or as CSV; `charge` runs before the first byte, when the request can no longer be rejected.
 * @throws {HttpError} 400 if the response is too large.
 */
export async function sendResponse(
  response: ServerResponse,
  operation: Operation,
  data: unknown,
  format: "json" | "csv",
  { answerBytes, compression }: { readonly answerBytes: number; readonly compression: Compression },
  charge: () => void,
): Promise<void> {
  if (format === "json") {
    // Encoded once: its length is needed before it is sent.
    const body = Buffer.from(successBody(data));
    if (body.length > answerBytes) throw failures.responseTooLarge(body.length, answerBytes);
    charge();
    setWarning(response, data);
    await sendCompressed(response, compression, jsonType, body);
    return;
  }
  const bytes = measureCsv(operation, data, answerBytes);
  if (bytes > answerBytes) throw failures.responseTooLarge(bytes, answerBytes);
  charge();
  setWarning(response, data);
  setPageState(response, data);
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
