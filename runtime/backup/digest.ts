import { createHash } from "node:crypto";
import { Transform } from "node:stream";

/** The length of the data that passed through a stream, and its SHA-256 in lower-case hexadecimal. */
export interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

/** A pass-through stream that computes a digest. */
export interface DigestStream extends Transform {
  /** The digest of the data; must be read only once, at the end. */
  digest(): Digest;
}

/** Creates a stream that hashes the data that passes through it. `onBytes` receives the length of each chunk. */
export function createDigest(onBytes: (bytes: number) => void = () => undefined): DigestStream {
  const hash = createHash("sha256");
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      onBytes(chunk.length);
      done(null, chunk);
    },
  });
  return Object.assign(stream, { digest: () => ({ bytes, sha256: hash.digest("hex") }) });
}

/** The SHA-256 of a text, in lower-case hexadecimal. */
export const sha256Of = (text: string): string => createHash("sha256").update(text).digest("hex");
