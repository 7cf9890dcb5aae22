import { describe, expect, it } from "vitest";
import { createCompression } from "../../../runtime/http/compression/compression.ts";
import { matchesEntityTag } from "../../../runtime/http/response-cache/rendered-response.ts";
import { type ComputedResponse, createResponseCache } from "../../../runtime/http/response-cache/response-cache.ts";

const kilobyte = 1024;
const facts = { costHundredths: 5, hasMore: false, pinnedBlock: null };
const computed = (bytes: number): ComputedResponse => ({ facts, data: bytes, isVolatile: false });
const serialize = async (data: unknown) => ({ contentType: "text/plain", body: Buffer.alloc(Number(data), "x"), headers: [] });

/** A one-megabyte cache, and the states of requests for a response with a given number of bytes. */
function createCache() {
  const cache = createResponseCache(1, createCompression());
  const find = async (key: string, bytes: number) => (await cache.getOrCompute(key, async () => computed(bytes), serialize)).state;
  return { cache, find };
}

describe("the response cache", () => {
  it("keeps a response until another one needs its memory", async () => {
    const { find } = createCache();
    // 20 of these, with their keys and some overhead, take 1,220 kB; the cache holds 1,024.
    const bytes = 60 * kilobyte;
    for (let key = 0; key < 20; key += 1) expect(await find(String(key), bytes)).toBe("MISS");
    expect(await find("19", bytes)).toBe("HIT");
    expect(await find("10", bytes)).toBe("HIT");
    expect(await find("0", bytes)).toBe("MISS");
  });

  it("does not cache responses larger than a sixteenth of its size", async () => {
    const { find } = createCache();
    expect([await find("large", 64 * kilobyte + 1), await find("large", 64 * kilobyte + 1)]).toEqual(["NONE", "NONE"]);
    expect([await find("small", 64 * kilobyte), await find("small", 64 * kilobyte)]).toEqual(["MISS", "HIT"]);
  });

  it("caches neither failures nor responses that depend on more than the index", async () => {
    const { cache, find } = createCache();
    await expect(cache.getOrCompute("a", () => Promise.reject(new Error("timeout")), serialize)).rejects.toThrow("timeout");
    expect((await cache.getOrCompute("a", async () => ({ ...computed(10), isVolatile: true }), serialize)).state).toBe("NONE");
    expect(await find("a", 10)).toBe("MISS");
  });

  it("counts compressed forms, which are cached with the response", async () => {
    const { cache, find } = createCache();
    const { outcome } = await cache.getOrCompute("a", async () => computed(60 * kilobyte), serialize);
    if (!("rendered" in outcome.content)) throw new Error("The response is not rendered.");
    const { rendered } = outcome.content;
    const before = rendered.bytes();
    const [first, second] = await Promise.all([rendered.encode("gzip"), rendered.encode("gzip")]);
    expect(first).toBe(second);
    expect(rendered.bytes()).toBe(before + first.body.length);
    expect(await find("a", 1)).toBe("HIT");
  });
});

describe("If-None-Match", () => {
  it("matches a tag weakly, any tag in a list, and every tag with *", () => {
    const tag = 'W/"abc"';
    for (const header of ['W/"abc"', '"abc"', '"x", W/"abc"', "*"]) expect(matchesEntityTag(header, tag)).toBe(true);
    for (const header of [undefined, "", '"ab"', "abc", '"x", "y"']) expect(matchesEntityTag(header, tag)).toBe(false);
    expect(matchesEntityTag("*", null)).toBe(false);
  });
});
