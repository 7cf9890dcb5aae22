import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DocumentOutcome } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { scaleTimeLimit } from "../../../support/scale-time-limit.ts";
import { until } from "../../../support/until.ts";
import { createFakeWeb, dataUrl } from "./fake-web.ts";
import { type MetadataIndex, type MetadataNode, openMetadataIndex, startMetadataNode } from "./metadata-index.ts";
import { documentNamed, mintAndQueue as mintAndQueueTokens, readAsync } from "./queued-tokens.ts";

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
afterEach(() => index.testDatabase.drop());
afterAll(() => node.stop());

const down: DocumentOutcome = { ok: false, refusal: "The host is down.", isPermanent: false };
const eightFetches = { metadata: "cached", fetchesAtOnce: 8, fetchMilliseconds: 15_000, documentBytes: 1_000_000 } as const;
/** Sets the URL of ids, then mints and queues them. Returns the head. */
const mintAndQueue = (url: string, count: number, standard?: number, first?: number): Promise<number> =>
  mintAndQueueTokens({ node, index, collection }, url, count, standard, first);

describe("the metadata worker", () => {
  it("retries with a fourfold backoff while the host fails, and stores the eighth attempt's refusal", async () => {
    await mintAndQueue("https://down.example/1", 1);
    const worker = index.worker(createFakeWeb({ "https://down.example/": () => down }).read);
    const waits: number[] = [];
    for (let attempt = 1; attempt < 8; attempt += 1) {
      await worker.drain();
      const [row] = await index.testDatabase.database.query<{ run_after: Date; problem: string }>(
        "SELECT run_after, problem FROM nft_reads",
      );
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
    const failing = { ...node.source, runCalls: () => Promise.reject(new Error("The node is unavailable.")) };
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
    let slowRequestCount = 0;
    const web = createFakeWeb({
      "https://slow.example/": () => {
        slowRequestCount += 1;
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
    expect(slowRequestCount).toBe(4);
    // The claims were released and counted no attempt.
    expect((await index.queued()).every(({ attempts }) => attempts === 0)).toBe(true);
    expect(await index.testDatabase.database.query("SELECT FROM nft_reads WHERE leased_until IS NOT NULL")).toEqual([]);
  });

  it("does not delay a host while a thousand other hosts fail", async () => {
    await mintAndQueue("https://{id}.down.example/", 1_000, standards.erc1155);
    await mintAndQueue("https://quick.example/{id}", 60, standards.erc1155, 1_000);
    const web = createFakeWeb({ "https://quick.example/": () => documentNamed("quick") });
    // The failed entries are due again in an hour.
    await index
      .worker((url, signal) => (url.includes("down") ? Promise.resolve(down) : web.read(url, signal)), { nfts: eightFetches })
      .drain();
    await index.testDatabase.database.query("UPDATE nft_reads SET run_after = $1", [new Date(index.now.getTime() + 3_600_000)]);
    expect(await index.metadata()).toHaveLength(60);
    await mintAndQueue("https://quick.example/{id}", 60, standards.erc1155, 2_000);
    const stop = new AbortController();
    const start = Date.now();
    const run = index.worker(web.read, { nfts: eightFetches, pauseMilliseconds: 500 }).run(stop.signal);
    await until("all documents of the quick host to be stored", async () => (await index.metadata()).length === 120);
    stop.abort();
    await run;
    // Sixty documents at two per host take 30 rounds; a pause after every 64 of the 1,000 failed hosts would make them take 30 · 16 · 0.5 s.
    expect(Date.now() - start).toBeLessThan(scaleTimeLimit(20_000));
  });

  it("claims a killed worker's entries once its lease has expired", async () => {
    await mintAndQueue("https://one.example/{id}", 3, standards.erc1155);
    const hanging = createFakeWeb({ "https://one.example/": () => new Promise(() => undefined) });
    // The first worker's fetches and clock stop, as if its process were suspended.
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
    expect(await index.testDatabase.database.query("SELECT value, tokens FROM nft_trait_values")).toEqual([{ value: "here", tokens: 600 }]);
  });
});
