import { zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNftQueries } from "../../../../runtime/domains/nft/queries/index.ts";
import { createNftMetadataQueries } from "../../../../runtime/domains/nft-metadata/queries/index.ts";
import { type IndexedStory, itemAt, openIndexedStory } from "./indexed-story.ts";
import { editionKey, type NftStory } from "./story.ts";

let index: IndexedStory;
let story: NftStory;
let head: number;
beforeAll(async () => {
  index = await openIndexedStory();
  ({ story, head } = index);
});
afterAll(() => index?.end());

describe("indexed collections", () => {
  it("have the contracts' ids, owners and sizes after every block", async () => {
    const nfts = createNftQueries(await index.open());
    let burnt = 0;
    for (const collection of index.collections()) {
      const history = await index.historyOf(collection, head);
      for (const [height, tokens] of history.entries()) {
        const label = `${collection.address} at ${height}`;
        expect(await nfts.collectionSizeAt(31337, collection.address, height), label).toBe(tokens.length);
        const rows = await nfts.nftTokensAt(31337, collection.address, height, 100, 0);
        expect(
          rows.map((row) => [BigInt(row.token_id), row.original_owner]),
          label,
        ).toEqual(tokens.map(({ id, firstOwner }) => [id, firstOwner]));
        const owners = await nfts.nftOwnersAt(31337, collection.address, story.ids.map(String), height);
        expect(Object.fromEntries(owners), label).toEqual(Object.fromEntries(tokens.map(({ id, owner }) => [String(id), owner])));
        burnt += tokens.filter(({ owner }) => owner === zeroAddress).length;
      }
    }
    expect(burnt).toBeGreaterThan(0);
  });

  it("have each account's balances by id after every block and three blocks earlier", async () => {
    const { idsHeldAt } = createNftMetadataQueries(await index.open());
    const limit = 1_000;
    for (const owner of Object.values(story.accounts)) {
      for (let height = 0; height <= head; height += 1) {
        const comparisonBlock = Math.max(0, height - 3);
        const [current, earlier] = [await story.editionsAt(height), await story.editionsAt(comparisonBlock)];
        const expected = story.editionIds
          .map((id) => [String(id), String(current.get(editionKey(owner, id))), String(earlier.get(editionKey(owner, id)))])
          .filter(([, balance]) => balance !== "0");
        const rows = await idsHeldAt(31337, owner, story.editions.address, { block: height, comparisonBlock, limit });
        expect(
          rows.map((row) => [row.token_id, row.balance, row.balance_before]),
          `${owner} at ${height}`,
        ).toEqual(expected);
        for (const collection of index.collections()) {
          const owners = await story.ownersAt(collection, height);
          const ids = [...owners].filter(([, holder]) => holder === owner).map(([id]) => String(id));
          const heldIds = await idsHeldAt(31337, owner, collection.address, { block: height, comparisonBlock: null, limit });
          expect(heldIds.map((row) => row.token_id)).toEqual(ids);
        }
      }
    }
  });

  it("count an ERC-1155 id once any of its units existed", async () => {
    const nfts = createNftQueries(await index.open());
    const existing = new Set<bigint>();
    for (let height = 0; height <= head; height += 1) {
      for (const [key, balance] of await story.editionsAt(height)) if (balance > 0n) existing.add(BigInt(key.split(" ")[1] ?? 0));
      expect(await nfts.collectionSizeAt(31337, story.editions.address, height), `at ${height}`).toBe(existing.size);
    }
    // Ids 777 and 778 occur only in events with zero units.
    expect(existing).toEqual(new Set([1n, 2n, 3n, 2n ** 256n - 1n]));
  });
});

describe("a reorganisation", () => {
  it("rolls back ids, owners and sizes", async () => {
    const database = await index.open();
    const before = itemAt(await index.historyOf(story.art, head), head);
    // The last four blocks had a burn, transfers and mints; the blocks that replace them are empty.
    await story.chain.rpc("anvil_reorg", [4, []]);
    await story.chain.mine();
    const height = await story.chain.head();
    await index.indexTo(database, height);
    const nfts = createNftQueries(database);
    for (const collection of index.collections()) {
      const tokens = itemAt(await index.historyOf(collection, height), height);
      const rows = await nfts.nftTokensAt(31337, collection.address, height, 100, 0);
      expect(rows.map((row) => [BigInt(row.token_id), row.original_owner])).toEqual(tokens.map(({ id, firstOwner }) => [id, firstOwner]));
      expect(await nfts.collectionSizeAt(31337, collection.address, height)).toBe(tokens.length);
      const owners = await nfts.nftOwnersAt(31337, collection.address, story.ids.map(String), height);
      expect(Object.fromEntries(owners)).toEqual(Object.fromEntries(tokens.map(({ id, owner }) => [String(id), owner])));
    }
    expect(itemAt(await index.historyOf(story.art, height), height)).not.toEqual(before);
  });
});
