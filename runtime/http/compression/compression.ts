import type { IncomingMessage, ServerResponse } from "node:http";
import type { Transform } from "node:stream";
import { type Coding, selectCoding } from "./accept-encoding.ts";
import { type Codecs, codingsOf, responseCodecs } from "./codecs.ts";

/** Smaller bodies fit into one or two packets with their headers. */
const minBytes = 1024;
/** Max concurrent compressions per process; the thread pool has four threads, which also serve files and DNS. */
const maxConcurrent = 3;

/** A body in a coding. */
export interface EncodedBody {
  readonly coding: Coding | null;
  readonly body: Buffer;
}

/** Compresses responses to requests that accept it. */
export interface Compression {
  /** The coding for a response whose body has at least `bytes`; null for none. Sets `Vary`. */
  select(request: Pick<IncomingMessage, "headers">, response: Pick<ServerResponse, "appendHeader">, bytes: number): Coding | null;
  /** Compresses a body, or returns it unchanged if too many are being compressed. */
  encode(body: Buffer, coding: Coding): Promise<EncodedBody>;
  /** A stream that compresses a body of at least `bytes`, counted until it closes; null if too many are being compressed. */
  createStream(coding: Coding, bytes: number): Transform | null;
}

/** Creates the response compression; without codecs, nothing is compressed. */
export function createCompression(codecs: Codecs = responseCodecs, limit = maxConcurrent): Compression {
  const available = codingsOf(codecs);
  let running = 0;
  return {
    select(request, response, bytes) {
      if (available.length === 0) return null;
      response.appendHeader("Vary", "Accept-Encoding");
      const { coding, acceptsIdentity } = selectCoding(request.headers["accept-encoding"], available);
      return bytes < minBytes && acceptsIdentity ? null : coding;
    },
    async encode(body, coding) {
      const codec = codecs[coding];
      if (codec === undefined || running >= limit) return { coding: null, body };
      running += 1;
      try {
        return { coding, body: await codec.compress(body) };
      } finally {
        running -= 1;
      }
    },
    createStream(coding, bytes) {
      if (running >= limit) return null;
      const stream = codecs[coding]?.createStream(bytes) ?? null;
      if (stream === null) return null;
      running += 1;
      stream.once("close", () => {
        running -= 1;
      });
      return stream;
    },
  };
}
