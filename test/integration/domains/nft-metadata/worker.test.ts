import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { createFakeWeb, dataUrl, documentOf, readInline } from "./fake-web.ts";
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

/** Sets the URL of ids, then mints and queues them. Returns the head. */
const mintAndQueue = (url: string, count: number, standard?: number, first?: number): Promise<number> =>
  mintAndQueueTokens({ node, index, collection }, url, count, standard, first);

describe("the metadata worker", () => {
  it("reads data: URLs and URLs with {id} substituted, and records tokens without a URL", async () => {
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

  it("refuses oversized contract responses, and limits the number of tokens per multicall", async () => {
    await mintAndQueue(dataUrl({ name: "x".repeat(2_000) }), 1);
    await mintAndQueue(dataUrl({ name: "y" }), 70, standards.erc721, 10);
    const tokensPerRequest: number[] = [];
    const source: typeof node.source = {
      ...node.source,
      runCalls: (calls, height) => {
        // Each call within a multicall contains the selector of tokenURI(); any other call counts as one.
        tokensPerRequest.push(calls.reduce((sum, { data }) => sum + Math.max(1, data.split("c87b56dd").length - 1), 0));
        return node.source.runCalls(calls, height);
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
    expect(await index.testDatabase.database.query("SELECT trait, value, tokens FROM nft_trait_values")).toEqual([
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
    expect(await index.testDatabase.database.query("SELECT trait, value FROM nft_trait_values ORDER BY number NULLS FIRST")).toEqual([
      { trait: "é".repeat(256), value: `${"x".repeat(255)}😀` },
      { trait: "😀".repeat(256), value: "1" },
    ]);
  });
});
