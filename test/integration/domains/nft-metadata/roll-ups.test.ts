import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import type { DocumentOutcome } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";
import { requestRefresh } from "../../../../runtime/domains/nft-metadata/jobs/queue-refreshes.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { createFakeWeb, documentOf } from "./fake-web.ts";
import { chainId, type MetadataIndex, type MetadataNode, openMetadataIndex, startMetadataNode } from "./metadata-index.ts";
import { countsOf } from "./roll-up-counts.ts";

let node: MetadataNode;
let index: MetadataIndex;
let collections: readonly [Address, Address];
const random = createRandom("roll-ups");
const tokenCount = 40;

interface Trait {
  readonly trait_type: string;
  readonly value: string | number | null;
}
/** The current attributes by metadata URL; null if the host refuses. */
const attributesOf = new Map<string, readonly Trait[] | null>();

const randomAttributes = (): readonly Trait[] | null =>
  random.between(0, 6) === 0
    ? null
    : Array.from({ length: random.between(0, 5) }, () => ({
        trait_type: random.pick(["Hat", "hat", "Level", "Mood", "x".repeat(300)]),
        value: random.pick(["blue", "Blue", null, random.between(1, 4), "3", "y".repeat(400), ""]),
      }));

beforeAll(async () => {
  node = await startMetadataNode();
  collections = [await node.deployCollection(), await node.deployCollection()];
  for (const collection of collections) await node.setUri(collection, 0, tokenCount - 1, `https://${collection}.example/{id}`);
});
beforeEach(async () => {
  index = await openMetadataIndex(node);
});
afterEach(() => index.testDatabase.drop());
afterAll(() => node.stop());

const web = createFakeWeb({
  "https://": (url): DocumentOutcome => {
    const attributes = attributesOf.get(url);
    if (attributes === null || attributes === undefined) return { ok: false, refusal: "Gone.", isPermanent: true };
    return { ok: true, document: documentOf(JSON.stringify({ attributes })) };
  },
});
const urlOf = (collection: Address, id: number): string => `https://${collection}.example/${id.toString(16).padStart(64, "0")}`;

/** Counts the tokens by truncated trait and value from the documents. */
const expectedCounts = (collection: Address) => {
  const values = new Map<string, Set<number>>();
  let documents = 0;
  for (let id = 0; id < tokenCount; id += 1) {
    const traits = attributesOf.get(urlOf(collection, id)) ?? null;
    if (traits !== null) documents += 1;
    for (const { trait_type: trait, value } of traits ?? []) {
      if (value === null) continue;
      const key = JSON.stringify([trait.slice(0, 256), String(value).slice(0, 256)]);
      values.set(key, (values.get(key) ?? new Set()).add(id));
    }
  }
  return { documents, values: Object.fromEntries([...values].map(([key, tokens]) => [key, tokens.size]).sort()) };
};
const storedCounts = async (collection: Address) => {
  const token = [chainId, collection.slice(2)];
  const rows = await index.testDatabase.database.query<{ trait: string; value: string; tokens: number }>(
    "SELECT trait, value, tokens FROM nft_trait_values WHERE chain_id = $1 AND token = decode($2, 'hex')",
    token,
  );
  const [row] = await index.testDatabase.database.query<{ metadata_count: number; refused_count: number }>(
    "SELECT metadata_count, refused_count FROM nft_documents WHERE chain_id = $1 AND token = decode($2, 'hex')",
    token,
  );
  expect((row?.metadata_count ?? 0) + (row?.refused_count ?? 0)).toBe(tokenCount);
  return {
    documents: row?.metadata_count ?? 0,
    values: Object.fromEntries(rows.map(({ trait, value, tokens }) => [JSON.stringify([trait, value]), tokens]).sort()),
  };
};
/** Drains the queue with two concurrent workers. */
const readAll = () => Promise.all([index.worker(web.read).drain(), index.worker(web.read).drain()]);

describe("roll-ups of metadata", () => {
  it("equal the counts of the documents after repeated concurrent reads, and are empty after a rollback", async () => {
    const head = await index.indexBlocks();
    for (const collection of collections) {
      for (let id = 0; id < tokenCount; id += 1) attributesOf.set(urlOf(collection, id), randomAttributes());
      await index.mint(
        collection,
        Array.from({ length: tokenCount }, (_, id) => id),
        head,
        standards.erc1155,
      );
    }
    await index.queue();
    for (let round = 0; round < 8; round += 1) {
      await readAll();
      for (const collection of collections) expect(await storedCounts(collection), `round ${round}`).toEqual(expectedCounts(collection));
      const { stored, counted } = await countsOf(index.testDatabase.database);
      expect(stored).toEqual(counted);
      for (let change = random.between(1, 50); change > 0; change -= 1) {
        const [collection, id] = [random.pick(collections), random.between(0, tokenCount - 1)];
        attributesOf.set(urlOf(collection, id), randomAttributes());
        await index.testDatabase.database.transaction((client) => requestRefresh(client, chainId, collection, String(id)));
      }
      await index.queue();
    }
    await index.rollBackTo(head - 1);
    const { stored } = await countsOf(index.testDatabase.database);
    expect(stored).toEqual({ values: [], traits: [], documents: [] });
  });

  it("retain the block of a collection's first document while the collection has documents", async () => {
    const [collection] = collections;
    attributesOf.set(urlOf(collection, 0), []);
    const first = await index.indexBlocks();
    await index.mint(collection, [0], first, standards.erc1155);
    await index.queue();
    await readAll();
    const since = async () =>
      (await index.testDatabase.database.query<{ since_block: number | null }>("SELECT since_block FROM nft_documents"))[0];
    const refreshToken = async () => {
      await node.chain.mine();
      await index.indexBlocks();
      await index.testDatabase.database.transaction((client) => requestRefresh(client, chainId, collection, "0"));
      await index.queue();
      await readAll();
    };
    await refreshToken();
    expect((await index.metadata())[0]?.read_at_block).toBe(first + 1);
    expect(await since()).toEqual({ since_block: first });
    attributesOf.set(urlOf(collection, 0), null);
    await refreshToken();
    expect(await since()).toEqual({ since_block: null });
    attributesOf.set(urlOf(collection, 0), []);
    await refreshToken();
    expect(await since()).toEqual({ since_block: first + 3 });
  });
});
