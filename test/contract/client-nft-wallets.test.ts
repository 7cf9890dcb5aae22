import { describe, expect, test } from "vitest";
import { documentsOf, movesOf, ownersOf, regularCollections } from "../support/story-collections.ts";
import { storyValue } from "../support/story-node.ts";
import { collectionsReceivedBy, documentFields, heldOf, lastMoveTime, punksOf, servedFields } from "./nfts.ts";
import { chain, chainById, dataOf, useNpmClient } from "./npm-client.ts";

const { NftService: service } = await useNpmClient();

describe("the npm client's NftService for wallets", () => {
  test.each(["collector", "trader", "hostileOwner"])(
    "getNftsForAddress returns the holdings of the %s according to ownerOf() and balanceOf()",
    async (name) => {
      const owner = storyValue(name);
      const { items, address } = await dataOf(service.getNftsForAddress(chain, owner));
      expect(address).toBe(owner);
      const served = new Map(items.map((item) => [item.contract_address, item]));
      let tokenCount = 0;
      for (const collection of await collectionsReceivedBy(owner)) {
        const moves = await movesOf(collection);
        const held = await heldOf(owner, moves, collection);
        const item = served.get(collection);
        expect(
          item?.nft_data.map((data) => data.token_id),
          collection,
        ).toEqual(held.size === 0 ? undefined : [...held.keys()]);
        if (item === undefined) continue;
        served.delete(collection);
        tokenCount += held.size;
        expect(item.balance, collection).toBe([...held.values()].reduce((sum, units) => sum + units, 0n));
        const walletMoves = moves.filter(({ from, to }) => from === owner || to === owner);
        expect(item.last_transfered_at.getTime() / 1000, collection).toBe(await lastMoveTime(walletMoves));
        expect([item.type, item.is_spam]).toEqual(["nft", false]);
      }
      expect(tokenCount).toBeGreaterThan(0);
      // The rest are the punks, whose contract emits its own events.
      expect([...served.keys()].filter((collection) => collection !== storyValue("punks"))).toEqual([]);
      const punks = await punksOf(owner);
      expect(served.get(storyValue("punks"))?.nft_data.map((data) => data.token_id)).toEqual(punks.length === 0 ? undefined : punks);
    },
  );

  test("getNftsForAddress omits metadata on request, and includes it otherwise", async () => {
    const art = regularCollections().art;
    const [plain, withoutMetadata, withoutSpam] = await Promise.all(
      [{}, { noNftAssetMetadata: true }, { noSpam: true, withUncached: true }].map((options) =>
        dataOf(service.getNftsForAddress(chainById, storyValue("collector"), options)),
      ),
    );
    const dataIn = (items: typeof plain | undefined) =>
      items?.items.find(({ contract_address: address }) => address === art)?.nft_data ?? [];
    const documents = await documentsOf(
      art,
      dataIn(plain).map((data) => data.token_id ?? -1n),
    );
    expect(dataIn(plain).map((data) => servedFields(data))).toEqual([...documents.values()].map(documentFields));
    expect(dataIn(withoutMetadata).map((data) => [data.token_id, data.external_data])).toEqual(
      [...documents.keys()].map((id) => [id, null]),
    );
    expect(withoutSpam?.items.map(({ contract_address: address }) => address)).toEqual(
      plain?.items.map(({ contract_address: address }) => address),
    );
    expect(documents.size).toBeGreaterThan(3);
  });

  test("checkOwnershipInNft returns a wallet's tokens in a collection, unfiltered and filtered by trait", async () => {
    const [collector, garden] = [storyValue("collector"), regularCollections().garden];
    const moves = await movesOf(garden);
    const held = await heldOf(collector, moves, garden);
    const { items, address, collection } = await dataOf(service.checkOwnershipInNft(chain, collector, garden));
    expect([address, collection]).toEqual([collector, garden]);
    expect(items.map(({ token_id: id, balance }) => [id, balance])).toEqual([...held]);
    expect(items.every(({ nft_data: data }) => data.current_owner === collector)).toBe(true);
    for (const { token_id: id, last_transfered_at: at } of items.slice(0, 20))
      expect(at.getTime() / 1000).toBe(
        await lastMoveTime(moves.filter((move) => move.id === id && [move.from, move.to].includes(collector))),
      );
    const documents = await documentsOf(garden, [...held.keys()]);
    const tokensWith = (traits: readonly string[], values: readonly string[]) =>
      [...documents].filter(([, document]) =>
        document.traits?.some(({ trait_type: trait, value }) => traits.includes(trait ?? "") && values.includes(value ?? "")),
      );
    for (const [traits, values] of [
      [["Species"], ["Rose"]],
      [
        ["Species", "Soil"],
        ["Fern", "Clay"],
      ],
      [["species"], ["Rose"]],
    ] as const) {
      const options = { traitsFilter: traits.join(), valuesFilter: values.join() };
      const filtered = await dataOf(service.checkOwnershipInNft(chain, collector, garden, options));
      expect(filtered.items.map(({ token_id: id }) => id)).toEqual(tokensWith(traits, values).map(([id]) => id));
    }
    expect(tokensWith(["Species"], ["Rose"]).length).toBeGreaterThan(0);
  });

  test("checkOwnershipInNftForSpecificTokenId returns a token only to a wallet that holds it", async () => {
    const { garden, editions } = regularCollections();
    const owned = await dataOf(
      service.checkOwnershipInNftForSpecificTokenId(chain, storyValue("collector"), garden, storyValue("gardenTokenId")),
    );
    expect(owned.items.map(({ token_id: id, balance }) => [id, balance])).toEqual([[BigInt(storyValue("gardenTokenId")), 1n]]);
    expect(await ownersOf(garden, [BigInt(storyValue("gardenTokenId"))])).toEqual([storyValue("collector")]);
    const notOwned = await dataOf(
      service.checkOwnershipInNftForSpecificTokenId(chain, storyValue("newcomer"), garden, storyValue("gardenTokenId")),
    );
    expect(notOwned.items).toEqual([]);
    const [held] = [...(await heldOf(storyValue("collector"), await movesOf(editions), editions))];
    const edition = await dataOf(
      service.checkOwnershipInNftForSpecificTokenId(chain, storyValue("collector"), editions, String(held?.[0])),
    );
    expect(edition.items.map(({ token_id: id, balance, nft_data: data }) => [id, balance, data.current_owner])).toEqual([
      [held?.[0], held?.[1], null],
    ]);
  });
});
