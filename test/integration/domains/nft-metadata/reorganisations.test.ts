import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DocumentOutcome } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { until } from "../../../support/until.ts";
import { createFakeWeb, dataUrl, documentOf, readInline } from "./fake-web.ts";
import { type MetadataIndex, type MetadataNode, openMetadataIndex, startMetadataNode } from "./metadata-index.ts";
import { countsOf } from "./roll-up-counts.ts";

let node: MetadataNode;
let index: MetadataIndex;
let collection: Address;
const read = async (url: string): Promise<DocumentOutcome> => readInline(url);
const documentUrl = (colour: string) => dataUrl({ name: colour, attributes: [{ trait_type: "Colour", value: colour }] });
const colours = () => index.testDatabase.database.query("SELECT value, tokens FROM nft_trait_values ORDER BY value");
const documents = () => index.testDatabase.database.query("SELECT metadata_count, since_block FROM nft_documents");

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

describe("a reorganisation", () => {
  it("drops metadata that was read above the ancestor, and queues its tokens again unless they are removed", async () => {
    await node.setUri(collection, 0, 1, documentUrl("red"));
    const first = await index.indexBlocks();
    await index.mint(collection, [0, 1], first);
    await index.queue();
    await index.worker(read).drain();
    const snapshot = await node.chain.rpc<string>("evm_snapshot");
    await node.setUri(collection, 1, 2, documentUrl("blue"));
    const second = await index.indexBlocks();
    await index.mint(collection, [2], second);
    await index.announce(collection, 1, 1, second);
    await index.queue();
    await index.worker(read).drain();
    expect(await colours()).toEqual([
      { value: "blue", tokens: 2 },
      { value: "red", tokens: 1 },
    ]);
    await node.chain.rpc("evm_revert", [snapshot]);
    await node.setUri(collection, 1, 1, documentUrl("green"));
    await index.rollBackTo(first);
    expect(await colours()).toEqual([{ value: "red", tokens: 1 }]);
    expect((await index.queued()).map(({ token_id }) => token_id)).toEqual(["1"]);
    expect(await documents()).toEqual([{ metadata_count: 1, since_block: first }]);
    const head = await index.indexBlocks();
    await index.queue();
    await index.worker(read).drain();
    expect((await index.metadata()).map(({ token_id, name, read_at_block }) => [token_id, name, read_at_block])).toEqual([
      ["0", "red", first],
      ["1", "green", head],
    ]);
  });

  it("leaves no rows of the collection if it drops the first document's block", async () => {
    await node.setUri(collection, 0, 1, documentUrl("red"));
    const head = await index.indexBlocks();
    await index.mint(collection, [0, 1], head);
    await index.queue();
    await index.worker(read).drain();
    expect(await documents()).toEqual([{ metadata_count: 2, since_block: head }]);
    await index.rollBackTo(head - 1);
    expect([await documents(), await colours(), await index.queued(), await index.metadata()]).toEqual([[], [], [], []]);
  });

  it("discards a document whose URL was read above the ancestor while it is being fetched", async () => {
    await node.chain.mine();
    const ancestor = await index.indexBlocks();
    await index.mint(collection, [7], ancestor, standards.erc1155);
    await node.setUri(collection, 7, 7, "https://old.example/{id}");
    await index.indexBlocks();
    await index.queue();
    let respond: (outcome: DocumentOutcome) => void = () => undefined;
    const web = createFakeWeb({
      "https://old.example/": () => new Promise((resolve) => (respond = resolve)),
      "https://new.example/": () => ({ ok: true, document: documentOf('{"name":"new"}') }),
    });
    const draining = index.worker(web.read).drain();
    await until("the fetch to start", () => web.requests.length === 1);
    await index.rollBackTo(ancestor);
    await node.setUri(collection, 7, 7, "https://new.example/{id}");
    await index.indexBlocks();
    respond({ ok: true, document: documentOf('{"name":"old"}') });
    await draining;
    // A read between the two branches finds no URL.
    expect((await index.metadata()).filter(({ name }) => name === "old")).toEqual([]);
    await index.announce(collection, 7, 7, await node.chain.head());
    await index.queue();
    await index.worker(web.read).drain();
    expect(await index.metadata()).toMatchObject([{ name: "new" }]);
  });

  it("leaves no metadata that was read above the ancestor, even while workers store metadata", async () => {
    await node.setUri(collection, 0, 399, documentUrl("red"));
    const ancestor = await index.indexBlocks();
    await index.mint(
      collection,
      Array.from({ length: 400 }, (_, id) => id),
      ancestor,
    );
    await index.queue();
    for (let round = 0; round < 4; round += 1) {
      await node.chain.mine();
      await index.indexBlocks();
      const workers = Promise.all([index.worker(read).drain(), index.worker(read).drain()]);
      await new Promise((resolve) => setTimeout(resolve, 40 * round));
      await index.rollBackTo(ancestor);
      await workers;
      const storedRows = await index.metadata();
      expect(storedRows.every(({ read_at_block }) => read_at_block <= ancestor)).toBe(true);
      expect(storedRows.length + (await index.queued()).length).toBe(400);
    }
  });
});
