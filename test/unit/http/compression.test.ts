import { text } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createCachedBody } from "../../../runtime/http/compression/cached-body.ts";
import { type Codec, type Codecs, cachedCodecs, codingsOf, responseCodecs } from "../../../runtime/http/compression/codecs.ts";
import { createCompression } from "../../../runtime/http/compression/compression.ts";

const body = (bytes: number): Buffer => Buffer.from("0123456789abcdef".repeat(bytes / 16));
const decoders = { br: brotliDecompressSync, gzip: gunzipSync };

/** A codec that lets the test finish each compression. */
function createSlowCodec() {
  const pending: (() => void)[] = [];
  const gzip = responseCodecs.gzip as Codec;
  const codec: Codec = { ...gzip, compress: (plain) => new Promise((resolve) => pending.push(() => resolve(plain.subarray(0, 1)))) };
  return { codecs: { gzip: codec } satisfies Codecs, finish: () => pending.shift()?.() };
}

describe("the codecs", () => {
  it("restore small and large bodies at all levels", async () => {
    expect(codingsOf(responseCodecs)).toEqual(expect.arrayContaining(["br", "gzip"]));
    for (const coding of ["br", "gzip"] as const)
      for (const codecs of [responseCodecs, cachedCodecs])
        for (const bytes of [16, 64 * 1024, 1024 * 1024, 2 * 1024 * 1024]) {
          const compressed = (await codecs[coding]?.compress(body(bytes))) ?? Buffer.alloc(0);
          expect(decoders[coding](compressed).equals(body(bytes))).toBe(true);
        }
  });

  it("offer zstd if and only if this version of Node.js supports it", () => {
    expect(codingsOf(responseCodecs).includes("zstd")).toBe("zstd" in process.versions);
  });
});

describe("concurrent compressions", () => {
  it("are limited; while the limit is reached, bodies are sent uncompressed", async () => {
    const { codecs, finish } = createSlowCodec();
    const compression = createCompression(codecs, 2);
    const running = [compression.encode(body(2048), "gzip"), compression.encode(body(2048), "gzip")];
    expect(await compression.encode(body(2048), "gzip")).toEqual({ coding: null, body: body(2048) });
    expect(compression.createStream("gzip", 2048)).toBeNull();
    finish();
    expect((await running[0])?.coding).toBe("gzip");
    const next = compression.encode(body(2048), "gzip");
    finish();
    finish();
    expect((await next).coding).toBe("gzip");
    await running[1];
  });

  it("include streams until they are closed", async () => {
    const compression = createCompression(responseCodecs, 1);
    const stream = compression.createStream("gzip", 2048);
    expect(compression.createStream("gzip", 2048)).toBeNull();
    expect((await compression.encode(body(2048), "gzip")).coding).toBeNull();
    stream?.end("some rows");
    if (stream !== null) await text(stream);
    expect((await compression.encode(body(2048), "gzip")).coding).toBe("gzip");

    const aborted = compression.createStream("gzip", 2048);
    aborted?.destroy();
    await new Promise((resolve) => aborted?.once("close", resolve));
    expect((await compression.encode(body(2048), "gzip")).coding).toBe("gzip");
  });

  it("do not include failed ones", async () => {
    const failing: Codec = { ...(responseCodecs.gzip as Codec), compress: () => Promise.reject(new Error("no memory")) };
    const compression = createCompression({ gzip: failing }, 1);
    await expect(compression.encode(body(2048), "gzip")).rejects.toThrow("no memory");
    await expect(compression.encode(body(2048), "gzip")).rejects.toThrow("no memory");
  });
});

describe("a cached body", () => {
  it("is compressed once for each coding", async () => {
    let count = 0;
    const gzip: Codec = {
      ...(cachedCodecs.gzip as Codec),
      compress: async (plain) => {
        count += 1;
        return plain.subarray(0, 10);
      },
    };
    const cached = createCachedBody(body(2048), { gzip });
    expect((await Promise.all([cached.encoded("gzip"), cached.encoded("gzip")])).map(({ length }) => length)).toEqual([10, 10]);
    expect(await cached.encoded(null)).toBe(cached.plain);
    expect(count).toBe(1);
  });
});
