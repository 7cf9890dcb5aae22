import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DocumentOutcome } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { deadline } from "../../../support/deadline.ts";
import { until } from "../../../support/until.ts";
import { createFakeWeb, dataUrl, documentOf, readInline } from "./fake-web.ts";
import { type MetadataIndex, type MetadataNode, openMetadataIndex, startMetadataNode } from "./metadata-index.ts";

let node: MetadataNode;
let index: MetadataIndex;
let collection: Address;

beforeAll(async () => {
  node = await startMetadataNode();
});
beforeEach(async () => {
  collection = await node.deployCollection();
  index = await openMetadataIndex(node);
});
afterEach(() => index.test.drop());
afterAll(() => node.stop());

const documentNamed = (name: string): DocumentOutcome => ({ ok: true, document: documentOf(JSON.stringify({ name })) });
const down: DocumentOutcome = { ok: false, refusal: "The host is down.", isPermanent: false };
const eightFetches = { metadata: "cached", fetchesAtOnce: 8, fetchMilliseconds: 15_000, documentBytes: 1_000_000 } as const;
const ids = (count: number, first = 0): number[] => Array.from({ length: count }, (_, id) => first + id);
/** Sets the URL of ids, then mints and queues them. Returns the head. */
const mintAndQueue = async (url: string, count: number, standard: number = standards.erc721, first = 0): Promise<number> => {
  await node.setUri(collection, first, first + count - 1, url);
  const head = await index.indexBlocks();
  await index.mint(collection, ids(count, first), head, standard);
  await index.queue();
  return head;
};

describe("the metadata worker", () => {
  it("reads data: URLs, URLs with {id} substituted, and records tokens without a URL", async () => {
    const other = await node.deployCollection();
    await node.setUri(collection, 1, 1, dataUrl({ name: "inline" }));
    await node.setUri(other, 10, 11, "https://one.example/{id}.json");
    const head = await index.indexBlocks();
    await index.mint(collection, [1, 2], 1);
    await index.mint(other, [10], 1, standards.erc1155);
    await index.mint(other, [11], 1);
    await index.queue();
    const web = createFakeWeb({ "https://one.example/": (url) => documentNamed(url) });
    await index.worker(web.read).drain();
    const rows = await index.metadata();
    // EIP-1155: 64 lower-case hex digits without 0x; 10 is 0x0a. EIP-721 has no {id} substitution.
    expect(rows.find((row) => row.token_id === "10")?.name).toBe(`https://one.example/${"a".padStart(64, "0")}.json`);
    expect(rows.find((row) => row.token_id === "11")?.name).toBe("https://one.example/{id}.json");
    expect(rows.find((row) => row.token_id === "1")).toMatchObject({
      token: collection,
      name: "inline",
      refusal: null,
      read_at_block: head,
    });
    expect(rows.find((row) => row.token_id === "2")).toMatchObject({ name: null, refusal: "The contract returns no metadata URL." });
    expect(await index.queued()).toEqual([]);
    expect(web.requests).toHaveLength(3);
  });

  it("yields to the event loop between two inline documents", async () => {
    await mintAndQueue(dataUrl({ name: "inline" }), 5);
    let tick = 0;
    const ticks: number[] = [];
    const next = (): void => {
      tick += 1;
      if (ticks.length < 5) setImmediate(next);
    };
    next();
    await index
      .worker(async (url) => {
        ticks.push(tick);
        return readInline(url);
      })
      .drain();
    expect(ticks).toHaveLength(5);
    expect(new Set(ticks).size).toBe(5);
  });

  it("refuses oversized responses of a contract, and limits the number of tokens per multicall", async () => {
    await mintAndQueue(dataUrl({ name: "x".repeat(2_000) }), 1);
    await mintAndQueue(dataUrl({ name: "y" }), 70, standards.erc721, 10);
    const tokensPerRequest: number[] = [];
    const source: typeof node.source = {
      ...node.source,
      calls: (calls, height) => {
        // Each call within a multicall contains the selector of tokenURI(); any other call counts as one.
        tokensPerRequest.push(calls.reduce((sum, { data }) => sum + Math.max(1, data.split("c87b56dd").length - 1), 0));
        return node.source.calls(calls, height);
      },
    };
    const nfts = { metadata: "cached", fetchesAtOnce: 16, fetchMilliseconds: 15_000, documentBytes: 100 } as const;
    const web = createFakeWeb();
    await index.worker(web.read, { nfts, source }).drain();
    const rows = await index.metadata();
    expect(rows.find((row) => row.token_id === "0")?.refusal).toBe(
      "The contract's response is too large: documents of up to 100 bytes are accepted.",
    );
    expect(rows.filter((row) => row.name === "y")).toHaveLength(70);
    expect(web.requests).toHaveLength(70);
    expect(Math.max(...tokensPerRequest)).toBe(30);
  });

  it("retries with a fourfold backoff while the host fails, and stores the refusal of the eighth attempt", async () => {
    await mintAndQueue("https://down.example/1", 1);
    const worker = index.worker(createFakeWeb({ "https://down.example/": () => down }).read);
    const waits: number[] = [];
    for (let attempt = 1; attempt < 8; attempt += 1) {
      await worker.drain();
      const [row] = await index.test.database.query<{ run_after: Date; problem: string }>("SELECT run_after, problem FROM nft_reads");
      expect(row?.problem).toBe("The host is down.");
      waits.push(((row?.run_after.getTime() ?? 0) - index.now.getTime()) / 1_000);
      index.now = new Date((row?.run_after.getTime() ?? 0) - 1);
      await worker.drain();
      expect((await index.queued())[0]?.attempts).toBe(attempt);
      index.now = row?.run_after ?? index.now;
    }
    // 10 s, times 4 after each attempt, at most six hours.
    expect(waits).toEqual([10, 40, 160, 640, 2_560, 10_240, 21_600]);
    await worker.drain();
    expect(await index.queued()).toEqual([]);
    expect(await index.metadata()).toMatchObject([{ refusal: "The host is down." }]);
  });

  it("does not retry a permanent refusal", async () => {
    await mintAndQueue("ftp://nowhere/", 1);
    const web = createFakeWeb();
    await index.worker(web.read).drain();
    expect(await index.metadata()).toMatchObject([{ refusal: "Not found." }]);
    expect(web.requests).toHaveLength(1);
  });

  it("does not count failures of the node as attempts", async () => {
    await mintAndQueue(dataUrl({ name: "later" }), 3);
    const failing = { ...node.source, calls: () => Promise.reject(new Error("The node is unavailable.")) };
    await expect(index.worker(readAsync, { source: failing }).drain()).rejects.toThrow("The node is unavailable.");
    expect((await index.queued()).map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
    const stop = new AbortController();
    const run = index.worker(readAsync, { source: failing }).run(stop.signal);
    await until("a warning", () => index.warnings.length > 0);
    stop.abort();
    await run;
    expect(index.warnings[0]).toBe("test: job read-nft-urls failed, retrying in 1 s: The node is unavailable.");
    await index.worker(readAsync).drain();
    expect(await index.metadata()).toHaveLength(3);
  });

  it("reads nothing while the node has a different block at the indexed head, or is far ahead of it", async () => {
    const head = await mintAndQueue(dataUrl({ name: "inline" }), 1);
    const forked = { ...node.source, hashesOf: async () => [`0x${"9".repeat(64)}` as const] };
    await index.worker(readAsync, { source: forked }).drain();
    const ahead = { ...node.source, head: async () => ({ ...(await node.source.head()), number: head + 17 }) };
    await index.worker(readAsync, { source: ahead }).drain();
    expect(await index.metadata()).toEqual([]);
    expect(await index.queued()).toMatchObject([{ attempts: 0, url: null }]);
    await index.worker(readAsync).drain();
    expect(await index.metadata()).toHaveLength(1);
  });

  it("limits concurrent requests to a slow host and does not delay other hosts", async () => {
    await mintAndQueue("https://slow.example/{id}", 300, standards.erc1155);
    await mintAndQueue("https://quick.example/{id}", 60, standards.erc1155, 1_000);
    let slow = 0;
    const web = createFakeWeb({
      "https://slow.example/": () => {
        slow += 1;
        return new Promise(() => undefined);
      },
      "https://quick.example/": () => documentNamed("quick"),
    });
    const stop = new AbortController();
    const run = index.worker(web.read).run(stop.signal);
    await until("all documents of the quick host to be stored", async () => (await index.metadata()).length === 60);
    stop.abort();
    await run;
    // A quarter of 16 concurrent fetches.
    expect(slow).toBe(4);
    // The claims were released and counted no attempt.
    expect((await index.queued()).every(({ attempts }) => attempts === 0)).toBe(true);
    expect(await index.test.database.query("SELECT FROM nft_reads WHERE leased_until IS NOT NULL")).toEqual([]);
  });

  it("does not delay a host because of a thousand hosts that fail", async () => {
    await mintAndQueue("https://{id}.down.example/", 1_000, standards.erc1155);
    await mintAndQueue("https://quick.example/{id}", 60, standards.erc1155, 1_000);
    const web = createFakeWeb({ "https://quick.example/": () => documentNamed("quick") });
    // The failed entries are due again in an hour.
    await index
      .worker((url, signal) => (url.includes("down") ? Promise.resolve(down) : web.read(url, signal)), { nfts: eightFetches })
      .drain();
    await index.test.database.query("UPDATE nft_reads SET run_after = $1", [new Date(index.now.getTime() + 3_600_000)]);
    expect(await index.metadata()).toHaveLength(60);
    await mintAndQueue("https://quick.example/{id}", 60, standards.erc1155, 2_000);
    const stop = new AbortController();
    const start = Date.now();
    const run = index.worker(web.read, { nfts: eightFetches, pauseMilliseconds: 500 }).run(stop.signal);
    await until("all documents of the quick host to be stored", async () => (await index.metadata()).length === 120);
    stop.abort();
    await run;
    // Sixty documents at two per host take 30 rounds; a pause after every 64 of the 1,000 failed hosts would make them take 30 · 16 · 0.5 s.
    expect(Date.now() - start).toBeLessThan(deadline(20_000));
  });

  it("claims the entries of a killed worker once its lease has expired", async () => {
    await mintAndQueue("https://one.example/{id}", 3, standards.erc1155);
    const hanging = createFakeWeb({ "https://one.example/": () => new Promise(() => undefined) });
    // Its fetches and clock stop, as if its process were suspended.
    const { now } = index;
    index
      .worker(hanging.read, { clock: () => now })
      .drain()
      .catch(() => undefined);
    await until("the claim to start", () => hanging.requests.length === 3);
    const other = index.worker(createFakeWeb({ "https://one.example/": () => documentNamed("one") }).read);
    await other.drain();
    expect(await index.metadata()).toEqual([]);
    // The lease is a minute plus twice the 15 s of a fetch.
    index.now = new Date(index.now.getTime() + 89_000);
    await other.drain();
    expect(await index.metadata()).toEqual([]);
    index.now = new Date(index.now.getTime() + 1_000);
    await other.drain();
    expect(await index.metadata()).toHaveLength(3);
  });

  it("reads each document once when four workers share the queue", async () => {
    await mintAndQueue("https://one.example/{id}", 200, standards.erc1155);
    await mintAndQueue(dataUrl({ name: "inline", attributes: [{ trait_type: "Place", value: "here" }] }), 600, standards.erc721, 1_000);
    const web = createFakeWeb({ "https://one.example/": () => documentNamed("one") });
    const workers = Array.from({ length: 4 }, () => index.worker(web.read));
    await Promise.all(workers.map((worker) => worker.drain()));
    expect(web.requests).toHaveLength(800);
    expect(await index.metadata()).toHaveLength(800);
    expect(await index.test.database.query("SELECT value, tokens FROM nft_trait_values")).toEqual([{ value: "here", tokens: 600 }]);
  });

  it("refuses metadata that the database cannot store, and stores the rest of its portion", async () => {
    await mintAndQueue("https://one.example/{id}", 5, standards.erc1155);
    const web = createFakeWeb({
      "https://one.example/": (url) => {
        const document = documentOf(JSON.stringify({ name: "a\0b\ud800", attributes: [{ trait_type: "\0", value: "\udfff\0" }] }));
        return { ok: true, document: url.endsWith("3") ? { ...document, assetBytes: 0.5 } : document };
      },
    });
    await index.worker(web.read).drain();
    const rows = await index.metadata();
    expect(rows.map(({ name }) => name)).toEqual(["ab\ufffd", "ab\ufffd", "ab\ufffd", null, "ab\ufffd"]);
    expect(rows[3]?.refusal).toBe("The metadata cannot be stored.");
    expect(await index.test.database.query("SELECT trait, value, tokens FROM nft_trait_values")).toEqual([
      { trait: "", value: "\ufffd", tokens: 4 },
    ]);
  });

  it("counts traits and values by their first 256 code points", async () => {
    await mintAndQueue(
      dataUrl({
        attributes: [
          { trait_type: "é".repeat(300), value: `${"x".repeat(255)}😀😀` },
          { trait_type: "😀".repeat(257), value: 1 },
        ],
      }),
      1,
    );
    await index.worker(readAsync).drain();
    expect(await index.test.database.query("SELECT trait, value FROM nft_trait_values ORDER BY number NULLS FIRST")).toEqual([
      { trait: "é".repeat(256), value: `${"x".repeat(255)}😀` },
      { trait: "😀".repeat(256), value: "1" },
    ]);
  });
});

const readAsync = async (url: string): Promise<DocumentOutcome> => readInline(url);
