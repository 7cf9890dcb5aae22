import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { BackupError } from "./backup-error.ts";

/** How backup files are compressed. */
export type Compression = "gzip" | "zstd";

/** Speed matters more than size: a higher level takes several times as long as the server needs to read the rows. */
const gzipLevel = 1;
const zstdLevel = 3;
/** ZSTD_c_compressionLevel (zstd.h). */
const zstdLevelParameter = 100;

interface Zstd {
  readonly createZstdCompress: (options: { readonly params: Readonly<Record<number, number>> }) => Transform;
  readonly createZstdDecompress: () => Transform;
}

/** Node.js has zstd since 22.15 and 23.8. */
const hasZstd = (module: object): module is Zstd => "createZstdCompress" in module && "createZstdDecompress" in module;

/** The best compression that this Node.js supports. */
export const bestCompression = (): Compression => (hasZstd(zlib) ? "zstd" : "gzip");

/** The suffixes of compressed files. */
export const fileExtensions: Readonly<Record<Compression, string>> = { gzip: ".gz", zstd: ".zst" };

/** Creates a stream that compresses. */
export function createCompressor(compression: Compression): Transform {
  if (compression === "gzip") return zlib.createGzip({ level: gzipLevel });
  return requireZstd(zlib).createZstdCompress({ params: { [zstdLevelParameter]: zstdLevel } });
}

/** Creates a stream that decompresses. */
export const createDecompressor = (compression: Compression): Transform =>
  compression === "gzip" ? zlib.createGunzip() : requireZstd(zlib).createZstdDecompress();

/** @throws {BackupError} if this Node.js cannot decompress the backup's files. */
export function requireCompression(compression: Compression): void {
  if (compression === "zstd") requireZstd(zlib);
}

function requireZstd(module: object): Zstd {
  if (!hasZstd(module)) throw new BackupError("The backup is compressed with zstd: restore it with Node.js 22.15 or newer.");
  return module;
}
