import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { Header } from "./constant-headers.ts";

/** The body of a successful response. */
export const successEnvelope = (data: unknown): object => ({ data, error: false, error_message: null, error_code: null });

/** The serialized body of a successful response. */
export const successBody = (data: unknown): string =>
  `{"data":${JSON.stringify(data)},"error":false,"error_message":null,"error_code":null}`;

/** The body of a failed response. */
export const failureEnvelope = (status: number, message: string): object => ({
  data: null,
  error: true,
  error_message: message,
  error_code: status,
});

/** The serialized body of a failed response. */
export const failureBody = (status: number, message: string): string => JSON.stringify(failureEnvelope(status, message));

/** Sets headers of a response. */
export function setHeaders(response: ServerResponse, headers: readonly Header[]): void {
  for (const [name, value] of headers) response.setHeader(name, value);
}

/** Small enough that the progress of a slow client is visible, and large enough that most bodies are one write. */
const sliceBytes = 64 * 1024;

function* slicesOf(body: Buffer): Generator<Buffer> {
  for (let start = 0; start < body.length; start += sliceBytes) yield body.subarray(start, start + sliceBytes);
}

/** Sends a complete body with its length, in slices as the client reads it; node:http omits the body for HEAD. */
export function sendBody(response: ServerResponse, status: number, contentType: string, body: string | Buffer): void {
  response.statusCode = status;
  response.setHeader("Content-Type", contentType);
  response.setHeader("Content-Length", Buffer.byteLength(body));
  if (body.length <= sliceBytes || response.req.method === "HEAD") response.end(body);
  else Readable.from(slicesOf(typeof body === "string" ? Buffer.from(body) : body)).pipe(response);
}

/** The media type of JSON. */
export const jsonType = "application/json; charset=utf-8";

/** Sends JSON text. */
export const sendJson = (response: ServerResponse, status: number, body: string | Buffer): void =>
  sendBody(response, status, jsonType, body);
