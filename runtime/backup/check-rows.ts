import { Transform } from "node:stream";
import { BackupError } from "./backup-error.ts";

const newline = 0x0a;

/**
 * A stream that passes on rows in COPY's text format, one per line. It fails as soon as there are more bytes than in the manifest, or a line
 * does not begin with the chain's id: an untrusted snapshot must not write rows of another chain.
 */
export function createRowChecker(path: string, maxBytes: number, chainId: number | undefined): Transform {
  const prefix = Buffer.from(chainId === undefined ? "" : `${chainId}\t`);
  let bytes = 0;
  /** How many bytes of the current line's prefix were compared. */
  let compared = 0;
  const hasPrefixes = (chunk: Buffer): boolean => {
    for (let offset = 0; offset < chunk.length; ) {
      if (compared < prefix.length) {
        if (chunk[offset] !== prefix[compared]) return false;
        compared += 1;
        offset += 1;
      } else {
        const end = chunk.indexOf(newline, offset);
        if (end === -1) break;
        compared = 0;
        offset = end + 1;
      }
    }
    return true;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new BackupError(`The backup is damaged: ${path} has more than ${maxBytes} bytes of rows.`));
      else if (prefix.length > 0 && !hasPrefixes(chunk))
        done(new BackupError(`The snapshot is invalid: ${path} has rows of another chain.`));
      else done(null, chunk);
    },
  });
}
