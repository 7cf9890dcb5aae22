import type { ServerResponse } from "node:http";
import { sendBody, setHeaders } from "../envelope.ts";
import type { SerializedResponse } from "../response-cache/rendered-response.ts";
import type { Coding } from "./accept-encoding.ts";
import type { CachedBody } from "./cached-body.ts";
import type { Compression, EncodedBody } from "./compression.ts";

/**
 * Sends a successful response, compressed if the client accepts it; returns undefined if it was sent synchronously. A compressed response to HEAD has
 * no Content-Length, because the body is not compressed only to measure it.
 */
export function sendCompressed(
  response: ServerResponse,
  serialized: SerializedResponse,
  compression: Pick<Compression, "select">,
  encode: (coding: Coding) => Promise<EncodedBody>,
): Promise<void> | undefined {
  const { contentType, body, headers } = serialized;
  const coding = compression.select(response.req, response, body.length);
  if (coding !== null && response.req.method !== "HEAD") return sendEncoded(response, serialized, encode(coding));
  setHeaders(response, headers);
  if (coding === null) {
    sendBody(response, 200, contentType, body);
    return;
  }
  response.statusCode = 200;
  setHeaders(response, [
    ["Content-Type", contentType],
    ["Content-Encoding", coding],
  ]);
  response.end();
}

/** Nothing is set before the body is compressed: if that fails, the response is an error without the headers of a success. */
async function sendEncoded(
  response: ServerResponse,
  { contentType, headers }: SerializedResponse,
  encoding: Promise<EncodedBody>,
): Promise<void> {
  const { coding, body } = await encoding;
  setHeaders(response, headers);
  if (coding !== null) response.setHeader("Content-Encoding", coding);
  sendBody(response, 200, contentType, body);
}

/** Sends a body that is cached with its compressed forms. */
export async function sendCached(
  response: ServerResponse,
  compression: Compression,
  contentType: string,
  cached: CachedBody,
): Promise<void> {
  const coding = compression.select(response.req, response, cached.plain.length);
  const body = await cached.encoded(coding);
  if (coding !== null) response.setHeader("Content-Encoding", coding);
  sendBody(response, 200, contentType, body);
}
