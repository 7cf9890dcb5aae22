import type { Transform } from "node:stream";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { type Coding, codings } from "./accept-encoding.ts";

/** Compresses in the thread pool. */
export interface Codec {
  compress(body: Buffer): Promise<Buffer>;
  /** A stream for a body of at least `bytes`. */
  createStream(bytes: number): Transform;
}

export type Codecs = Readonly<Partial<Record<Coding, Codec>>>;

/** The compression levels for bodies up to `maxBytes`. */
interface Level {
  readonly maxBytes: number;
  readonly brotli: number;
  readonly gzip: number;
  readonly zstd: number;
}

/** The effort decreases with the size, so that the time of a response is bounded. */
const levels: readonly Level[] = [
  { maxBytes: 64 * 1024, brotli: 5, gzip: 6, zstd: 6 },
  { maxBytes: 1024 * 1024, brotli: 4, gzip: 4, zstd: 3 },
];
const fastest: Level = { maxBytes: Number.POSITIVE_INFINITY, brotli: 1, gzip: 1, zstd: 1 };
/** For bodies that are compressed once and sent often. */
const best: Level = { maxBytes: Number.POSITIVE_INFINITY, brotli: 9, gzip: 9, zstd: 12 };

type LevelOf = (bytes: number) => Level;
const levelBySize: LevelOf = (bytes) => levels.find(({ maxBytes }) => bytes <= maxBytes) ?? fastest;

type ZstdOptions = { readonly params: Readonly<Record<number, number>> };
interface Zstd {
  readonly zstdCompress: (body: Buffer, options: ZstdOptions, done: (error: Error | null, result: Buffer) => void) => void;
  readonly createZstdCompress: (options: ZstdOptions) => Transform;
}

/** ZSTD_c_compressionLevel (zstd.h). */
const zstdLevel = 100;

/** Node.js has zstd since 22.15 and 23.8. */
const hasZstd = (module: object): module is Zstd => "zstdCompress" in module && "createZstdCompress" in module;

function createCodecs(levelOf: LevelOf): Codecs {
  const { BROTLI_PARAM_MODE, BROTLI_MODE_TEXT, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
  const brotliOptions = (bytes: number) => ({
    params: { [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT, [BROTLI_PARAM_QUALITY]: levelOf(bytes).brotli, [BROTLI_PARAM_SIZE_HINT]: bytes },
  });
  const gzipOptions = (bytes: number) => ({ level: levelOf(bytes).gzip });
  const [brotli, gzip] = [
    promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress),
    promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip),
  ];
  return {
    ...zstdCodec(zlib, levelOf),
    br: {
      compress: (body) => brotli(body, brotliOptions(body.length)),
      createStream: (bytes) => zlib.createBrotliCompress(brotliOptions(bytes)),
    },
    gzip: { compress: (body) => gzip(body, gzipOptions(body.length)), createStream: (bytes) => zlib.createGzip(gzipOptions(bytes)) },
  };
}

function zstdCodec(module: object, levelOf: LevelOf): Codecs {
  if (!hasZstd(module)) return {};
  const optionsOf = (bytes: number): ZstdOptions => ({ params: { [zstdLevel]: levelOf(bytes).zstd } });
  const compress = promisify<Buffer, ZstdOptions, Buffer>(module.zstdCompress);
  return {
    zstd: {
      compress: (body) => compress(body, optionsOf(body.length)),
      createStream: (bytes) => module.createZstdCompress(optionsOf(bytes)),
    },
  };
}

/** The codecs that this version of Node.js supports, with a level by size, for responses. */
export const responseCodecs: Codecs = createCodecs(levelBySize);
/** The codecs for bodies that are cached. */
export const cachedCodecs: Codecs = createCodecs(() => best);

/** The codings of codecs, the preferred one first. */
export const codingsOf = (codecs: Codecs): readonly Coding[] => codings.filter((coding) => codecs[coding] !== undefined);
