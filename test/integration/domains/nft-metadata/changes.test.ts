import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DocumentOutcome } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";
import { createMetadataJobs } from "../../../../runtime/domains/nft-metadata/jobs/jobs.ts";
import { createQueueRefreshesJob, requestRefresh } from "../../../../runtime/domains/nft-metadata/jobs/queue-refreshes.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { createFakeWeb, dataUrl, readInline } from "./fake-web.ts";
import { createQueueingLoop } from "./interrupted-queueing.ts";
import { chainId, type MetadataIndex, type MetadataNode, openMetadataIndex, startMetadataNode } from "./metadata-index.ts";
import { countsOf } from "./roll-up-counts.ts";

let node: MetadataNode;
let index: MetadataIndex;
let collection: Address;
const maxId = 2n ** 256n - 1n;
const read = async (url: string): Promise<DocumentOutcome> => readInline(url);
const documentUrl = (colour: string) => dataUrl({ name: colour, attributes: [{ trait_type: "Colour", value: colour }] });
const ids = (count: number): number[] => Array.from({ length: count }, (_, id) => id);
const colours = () => index.testDatabase.database.query("SELECT value, tokens FROM nft_trait_values ORDER BY value");

beforeAll(async () => {
  node = await startMetadataNode();
});
beforeEach(async () => {
  collection = await node.deployCollection();
  index = await openMetadataIndex(node);
});
afterEach(async () => {
  const { stored, counted } = await countsOf(index.testDatabase.database);
  expect(stored).toEqual(counted);
  await index.testDatabase.drop();
});
afterAll(() => node.stop());

/** Mints red tokens and reads their metadata. */
const mintRed = async (count: number): Promise<number> => {
  await node.setUri(collection, 0, Math.min(count, 1_000) - 1, documentUrl("red"));
  const head = await index.indexBlocks();
  await index.mint(collection, ids(count), head);
  await index.queue();
  await index.worker(read).drain();
  return head;
};

describe("new tokens", () => {
  it("are queued once and in portions; an index without tokens stores no progress", async () => {
    await node.chain.rpc("anvil_mine", ["0x20"]);
    const head = await index.indexBlocks();
    await index.queue();
    expect(await index.testDatabase.database.query("SELECT FROM nft_read_progress")).toEqual([]);
    for (let block = 1; block <= 5; block += 1) {
      const minted = ids(700).map((id) => block * 1_000 + id);
      await index.mint(collection, minted, block);
    }
    // One block's tokens are not split into portions.
    await index.mint(
      collection,
      ids(3_000).map((id) => 10_000 + id),
      7,
    );
    expect(await index.queue()).toBeGreaterThan(2);
    expect(await index.queued()).toHaveLength(5 * 700 + 3_000);
    await index.mint(collection, [90_000], head);
    await index.queue();
    expect(await index.queued()).toHaveLength(5 * 700 + 3_000 + 1);
  });

  it("are queued under the first standard of a contract that has two", async () => {
    const head = await index.indexBlocks();
    await index.mint(collection, [5], head, standards.erc1155);
    await index.mint(collection, [5], head, standards.erc721);
    await index.queue();
    expect(await index.testDatabase.database.query("SELECT standard FROM nft_reads")).toEqual([{ standard: standards.erc721 }]);
  });

  it("are not queued again after the progress is rolled back", async () => {
    await mintRed(3);
    await index.testDatabase.database.query("DELETE FROM nft_read_progress");
    await index.queue();
    expect(await index.queued()).toEqual([]);
  });

  it("are not queued if metadata is not cached", () => {
    const nfts = { metadata: "uncached" } as Parameters<typeof createMetadataJobs>[0]["nfts"];
    expect(createMetadataJobs({ nfts })).toEqual([]);
  });

  it("are not read if metadata is not cached", async () => {
    await node.setUri(collection, 0, 0, documentUrl("red"));
    await index.mint(collection, [0], await index.indexBlocks());
    await index.queue();
    await index
      .worker(read, { nfts: { metadata: "uncached", fetchesAtOnce: 1, fetchMilliseconds: 1, documentBytes: 1_000 } })
      .run(AbortSignal.timeout(200));
    expect(await index.metadata()).toEqual([]);
  });
});

describe("announced changes", () => {
  it("queue the tokens in their range, at the announcement's block or later", async () => {
    await mintRed(10);
    await node.setUri(collection, 3, 5, documentUrl("blue"));
    const head = await index.indexBlocks();
    await index.announce(collection, 3, 4, head);
    await index.announce(collection, 77, 77, head);
    await index.queue();
    expect((await index.queued()).map(({ token_id, wanted_block }) => [token_id, wanted_block])).toEqual([
      ["3", head],
      ["4", head],
    ]);
    await index.worker(read).drain();
    // Token 5 changed without an announcement.
    expect(await colours()).toEqual([
      { value: "blue", tokens: 2 },
      { value: "red", tokens: 8 },
    ]);
    expect((await index.metadata()).filter(({ name }) => name === "blue").map(({ read_at_block }) => read_at_block)).toEqual([head, head]);
  });

  it("queue all ids in portions, and continue after an interruption", async () => {
    const head = await index.indexBlocks();
    await index.mint(collection, ids(5_000), head);
    await index.mint(collection, [maxId], head);
    await index.queue();
    await index.testDatabase.database.query("DELETE FROM nft_reads");
    await index.announce(collection, 0, maxId, head + 1);
    await node.chain.mine();
    await index.indexBlocks();
    // Each job runs once before the interruption.
    let rounds = 0;
    const isStopped = () => {
      rounds += 1;
      return rounds > 2;
    };
    const runQueueing = await createQueueingLoop(index, isStopped);
    await expect(runQueueing()).rejects.toThrow("stopped");
    expect(await index.queued()).toHaveLength(2_000);
    await index.queue();
    expect(await index.queued()).toHaveLength(5_001);
    expect((await index.queued()).every(({ wanted_block }) => wanted_block === head + 1)).toBe(true);
    expect(await index.testDatabase.database.query("SELECT FROM nft_refreshes")).toEqual([]);
  });

  it("do not delay other collections if one collection announces all its ids repeatedly", async () => {
    // The repeating collection is the first by address, so the others run only when its turn ends.
    const [repeating = collection, ...others] = [collection, await node.deployCollection(), await node.deployCollection()].sort();
    const head = await index.indexBlocks();
    for (const address of [repeating, ...others]) await index.mint(address, ids(address === repeating ? 5_000 : 10), head);
    await index.queue();
    await index.testDatabase.database.query("DELETE FROM nft_reads");
    let rounds = 0;
    const job = createQueueRefreshesJob();
    const jobContext = index.jobContext();
    for (const address of [repeating, ...others]) {
      await index.testDatabase.database.transaction((client) => requestRefresh(client, chainId, address, null));
    }
    const areOthersQueued = async () =>
      (await index.testDatabase.database.query("SELECT FROM nft_reads WHERE token <> decode($1, 'hex')", [repeating.slice(2)])).length ===
      20;
    while (!(await areOthersQueued()) && rounds < 20) {
      rounds += 1;
      await index.testDatabase.database.query("UPDATE nft_refreshes SET again = true WHERE token = decode($1, 'hex')", [
        repeating.slice(2),
      ]);
      await job.run(jobContext);
    }
    // Three collections: the last one's turn is the third, regardless of the order of their addresses.
    expect(rounds).toBeLessThanOrEqual(3);
  });

  it("reach the last ids and then start again if they are repeated while they are being queued", async () => {
    const head = await index.indexBlocks();
    await index.mint(collection, ids(2_500), head);
    await index.queue();
    await index.testDatabase.database.query("DELETE FROM nft_reads");
    await index.announce(collection, 0, maxId, head);
    await index.testDatabase.database.query(
      `INSERT INTO nft_refreshes (chain_id, token, from_id, to_id, next_id, block_number, wanted_block, again)
       VALUES ($1, decode($2, 'hex'), 0, $3, 2000, 1, 1, true)`,
      [chainId, collection.slice(2), String(maxId)],
    );
    await index.queue();
    const queued = await index.queued();
    expect(queued).toHaveLength(2_500);
    expect(await index.testDatabase.database.query("SELECT FROM nft_refreshes")).toEqual([]);
  });

  it("discard the result of a read in progress and read the token again", async () => {
    await mintRed(1);
    const [before] = await index.metadata();
    await index.announce(collection, 0, 0, (await index.indexBlocks()) + 1);
    await node.setUri(collection, 0, 0, documentUrl("blue"));
    const head = await index.indexBlocks();
    // The operator requests a read at the previous block.
    await index.testDatabase.database.transaction((client) => requestRefresh(client, chainId, collection, "0"));
    await index.testDatabase.database.query("INSERT INTO nft_read_progress VALUES ($1, $2)", [chainId, head]);
    await index.queue();
    let isFirst = true;
    const worker = index.worker(async (url) => {
      if (isFirst) {
        isFirst = false;
        await index.testDatabase.database.query("DELETE FROM nft_read_progress WHERE block_number >= $1", [head]);
        await index.testDatabase.database.query("UPDATE nft_metadata_updates SET block_number = $1", [head + 1]);
        await node.setUri(collection, 0, 0, documentUrl("green"));
        await index.testDatabase.database.query(
          `INSERT INTO blocks SELECT chain_id, number + 1, decode($1, 'hex'), hash, timestamp, miner, extra_data, gas_used, gas_limit, base_fee, size, transaction_count
           FROM blocks ORDER BY number DESC LIMIT 1`,
          [(await node.chain.rpc<{ hash: string }>("eth_getBlockByNumber", ["latest", false])).hash.slice(2)],
        );
        await index.queue();
      }
      return readInline(url);
    });
    await worker.drain();
    expect(before?.name).toBe("red");
    // Blue was read but not stored.
    expect(await index.metadata()).toMatchObject([{ name: "green", read_at_block: head + 1 }]);
    expect(await colours()).toEqual([{ value: "green", tokens: 1 }]);
  });
});

describe("a refresh requested by the operator", () => {
  it("reads a collection or a token again, and is refused for unknown ones", async () => {
    await mintRed(5);
    const refresh = (token: Address, id: string | null) =>
      index.testDatabase.database.transaction((client) => requestRefresh(client, chainId, token, id));
    expect(await refresh(node.gallery, null)).toBe(false);
    expect(await refresh(collection, "5")).toBe(false);
    expect(await refresh(collection, "4")).toBe(true);
    await index.queue();
    expect((await index.queued()).map(({ token_id }) => token_id)).toEqual(["4"]);
    expect(await refresh(collection, null)).toBe(true);
    await index.queue();
    expect(await index.queued()).toHaveLength(5);
    const web = createFakeWeb();
    await index.worker(web.read).drain();
    expect(web.requests).toHaveLength(5);
  });
});
