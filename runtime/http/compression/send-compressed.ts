import type { ServerResponse } from "node:http";
import { sendBody, setHeaders } from "../envelope.ts";
import type { Serialized } from "../response-cache/rendered-response.ts";
import type { Coding } from "./accept-encoding.ts";
import type { CachedBody } from "./cached-body.ts";
import type { Compression, EncodedBody } from "./compression.ts";

/**
 * Sends a successful response, compressed if the client accepts it. The response to HEAD has no length then: the body is not compressed to measure it. Nothing
 * is set before the body is compressed: if that fails, the response is an error without the headers of a success.
 */
export async function sendCompressed(
  response: ServerResponse,
  { contentType, body: plain, headers }: Serialized,
  compression: Pick<Compression, "select">,
  encode: (coding: Coding) => Promise<EncodedBody>,
): Promise<void> {
  const selected = compression.select(response.req, response, plain.length);
  if (selected !== null && response.req.method === "HEAD") {
    response.statusCode = 200;
    setHeaders(response, [...headers, ["Content-Type", contentType], ["Content-Encoding", selected]]);
    response.end();
    return;
  }
  const { coding, body } = selected === null ? { coding: null, body: plain } : await encode(selected);
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
