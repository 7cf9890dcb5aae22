import { createHash } from "node:crypto";
import { Transform } from "node:stream";

/** The length and the SHA-256, in lower-case hexadecimal, of the data that passed through a stream. */
export interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

/** A pass-through stream that computes a digest. */
export interface DigestStream extends Transform {
  /** The digest of the data; must be called only once, at the end. */
  digest(): Digest;
}

/** Creates a stream that hashes the data passing through it. `onBytes` receives each chunk's length. */
export function createDigestStream(onBytes: (bytes: number) => void = () => undefined): DigestStream {
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
