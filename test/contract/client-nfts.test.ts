import { toEventSelector } from "viem";
import { describe, expect, it } from "vitest";
import {
  decent,
  documentsOf,
  idsOf,
  movesOf,
  ownersOf,
  type StoryDocument,
  type TokenMove,
  unitsOf,
  urisOf,
  zeroAddress,
} from "../support/story-collections.ts";
import { addressOf, logsOf, node, storyValue, timeOf, transferTopic } from "../support/story-node.ts";
import { all, allPages, byId, chain, dataOf, isValidDate, useNpmClient } from "./npm-client.ts";

const { NftService: service } = await useNpmClient();

/** The client's representation of a token's data. */
interface Shown {
  readonly token_id: bigint | null;
  readonly token_url: string | null;
  readonly external_data: {
    readonly name: string;
    readonly description: string | null;
    readonly image: string | null;
    readonly external_url: string | null;
    readonly attributes: readonly { readonly trait_type: string | null; readonly value: string | null }[] | null;
  } | null;
}

/** Embedded pictures are returned as base64, however they were encoded. */
const pictureOf = (image: string | null): string | null => {
  const [, text] = /^data:image\/svg\+xml,(.*)$/s.exec(image ?? "") ?? [];
  return text === undefined ? image : `data:image/svg+xml;base64,${Buffer.from(decodeURIComponent(text)).toString("base64")}`;
};

const said = ({ name, description, image, external_url, traits }: StoryDocument) => ({
  name,
  description,
  image: pictureOf(image),
  external_url,
  attributes: traits?.map(({ trait_type, value }) => ({ trait_type, value })) ?? null,
});

const shown = ({ external_data: data }: Shown) =>
  data === null
    ? null
    : {
        name: data.name,
        description: data.description,
        image: data.image,
        external_url: data.external_url,
        attributes: data.attributes?.map(({ trait_type, value }) => ({ trait_type, value })) ?? null,
      };

/** CryptoPunks' event of the first owner, which only that contract emits. */
const assign: string = toEventSelector("Assign(address,uint256)");

const word = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`;

/** The collections of which an account received a token according to their logs. */
const collectionsReceivedBy = async (owner: string): Promise<string[]> => {
  const [old, multi] = await Promise.all([
    logsOf({ topics: [transferTopic, null, word(owner)] }),
    // The receiver is the third argument of TransferSingle and TransferBatch.
    logsOf({ topics: [null, null, null, word(owner)] }),
  ]);
  const logs = [...old.filter(({ topics }) => topics.length === 4), ...multi];
  return [...new Set(logs.map(({ address }) => address))].sort();
};

/** Holdings of a collection by id: ids that were ever received and that the contract still reports. */
const heldOf = async (owner: string, moves: readonly TokenMove[], collection: string): Promise<Map<bigint, bigint>> => {
  const ids = idsOf(moves.filter(({ to }) => to === owner));
  const owners = await ownersOf(collection, ids);
  // An ERC-1155 contract has no ownerOf.
  const units = owners.every((each) => each === zeroAddress)
    ? await unitsOf(
        collection,
        ids.map((id) => [owner, id] as const),
      )
    : owners.map((each) => (each === owner ? 1n : 0n));
  return new Map(ids.flatMap((id, index) => ((units[index] ?? 0n) > 0n ? [[id, units[index] ?? 0n] as const] : [])));
};

const lastMove = async (moves: readonly TokenMove[]): Promise<number> => timeOf(Math.max(...moves.map(({ block }) => block)));

describe("the npm client's NftService for wallets", () => {
  it.each(["collector", "trader", "hostileOwner"])(
    "row 7: returns the holdings of the %s according to ownerOf() and balanceOf()",
    async (name) => {
      const owner = storyValue(name);
      const { items, address } = await dataOf(service.getNftsForAddress(chain, owner));
      expect(address).toBe(owner);
      const served = new Map(items.map((item) => [item.contract_address, item]));
      let ids = 0;
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
        ids += held.size;
        expect(item.balance, collection).toBe([...held.values()].reduce((sum, units) => sum + units, 0n));
        const own = moves.filter(({ from, to }) => from === owner || to === owner);
        expect(item.last_transfered_at.getTime() / 1000, collection).toBe(await lastMove(own));
        expect([item.type, item.is_spam]).toEqual(["nft", false]);
      }
      expect(ids).toBeGreaterThan(0);
      // The rest are the faces, which emit their own events.
      expect([...served.keys()].filter((collection) => collection !== storyValue("punks"))).toEqual([]);
      const faces = await facesOf(owner);
      expect(served.get(storyValue("punks"))?.nft_data.map((data) => data.token_id)).toEqual(faces.length === 0 ? undefined : faces);
    },
  );

  it("row 7: omits metadata on request, and includes it otherwise", async () => {
    const art = decent().art;
    const [plain, bare, spamless] = await Promise.all(
      [{}, { noNftAssetMetadata: true }, { noSpam: true, withUncached: true }].map((options) =>
        dataOf(service.getNftsForAddress(byId, storyValue("collector"), options)),
      ),
    );
    const dataIn = (items: typeof plain | undefined) =>
      items?.items.find(({ contract_address: address }) => address === art)?.nft_data ?? [];
    const documents = await documentsOf(
      art,
      dataIn(plain).map((data) => data.token_id ?? -1n),
    );
    expect(dataIn(plain).map((data) => shown(data))).toEqual([...documents.values()].map(said));
    expect(dataIn(bare).map((data) => [data.token_id, data.external_data])).toEqual([...documents.keys()].map((id) => [id, null]));
    expect(spamless?.items.map(({ contract_address: address }) => address)).toEqual(
      plain?.items.map(({ contract_address: address }) => address),
    );
    expect(documents.size).toBeGreaterThan(3);
  });

  it("row 18: returns a wallet's tokens of a collection, also filtered by trait", async () => {
    const [collector, garden] = [storyValue("collector"), decent().garden];
    const moves = await movesOf(garden);
    const held = await heldOf(collector, moves, garden);
    const { items, address, collection } = await dataOf(service.checkOwnershipInNft(chain, collector, garden));
    expect([address, collection]).toEqual([collector, garden]);
    expect(items.map(({ token_id: id, balance }) => [id, balance])).toEqual([...held]);
    expect(items.every(({ nft_data: data }) => data.current_owner === collector)).toBe(true);
    for (const { token_id: id, last_transfered_at: at } of items.slice(0, 20))
      expect(at.getTime() / 1000).toBe(await lastMove(moves.filter((move) => move.id === id && [move.from, move.to].includes(collector))));
    const documents = await documentsOf(garden, [...held.keys()]);
    const has = (traits: readonly string[], values: readonly string[]) =>
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
      expect(filtered.items.map(({ token_id: id }) => id)).toEqual(has(traits, values).map(([id]) => id));
    }
    expect(has(["Species"], ["Rose"]).length).toBeGreaterThan(0);
  });

  it("row 19: returns whether a wallet has one token", async () => {
    const { garden, editions } = decent();
    const mine = await dataOf(
      service.checkOwnershipInNftForSpecificTokenId(chain, storyValue("collector"), garden, storyValue("gardenTokenId")),
    );
    expect(mine.items.map(({ token_id: id, balance }) => [id, balance])).toEqual([[BigInt(storyValue("gardenTokenId")), 1n]]);
    expect(await ownersOf(garden, [BigInt(storyValue("gardenTokenId"))])).toEqual([storyValue("collector")]);
    const others = await dataOf(
      service.checkOwnershipInNftForSpecificTokenId(chain, storyValue("newcomer"), garden, storyValue("gardenTokenId")),
    );
    expect(others.items).toEqual([]);
    const [held] = [...(await heldOf(storyValue("collector"), await movesOf(editions), editions))];
    const edition = await dataOf(
      service.checkOwnershipInNftForSpecificTokenId(chain, storyValue("collector"), editions, String(held?.[0])),
    );
    expect(edition.items.map(({ token_id: id, balance, nft_data: data }) => [id, balance, data.current_owner])).toEqual([
      [held?.[0], held?.[1], null],
    ]);
  });
});

/** The faces of an account according to the contract. */
async function facesOf(owner: string): Promise<bigint[]> {
  const ids = Array.from({ length: 40 }, (_, id) => BigInt(id));
  const owners = await ownersOf(storyValue("punks"), ids, "punkIndexToAddress");
  return ids.filter((_, index) => owners[index] === owner);
}

describe("the npm client's NftService for collections", () => {
  it.each(Object.keys(decent()) as (keyof ReturnType<typeof decent>)[])(
    "row 8: iterates all of the %s, each id with its owner and metadata",
    async (name) => {
      const collection = decent()[name];
      const isEditions = name === "editions";
      const moves = await movesOf(collection);
      const ids = idsOf(moves);
      const options = { pageSize: name === "garden" ? 700 : 30 };
      const items = await all(service.getTokenIdsForContractWithMetadata(chain, collection, options));
      expect(items.map(({ nft_data: data }) => data.token_id)).toEqual(ids);
      expect(items.every(({ contract_address: address, type }) => address === collection && type === "nft")).toBe(true);
      const first = await dataOf(service.getTokenIdsForContractWithMetadataByPage(chain, collection, { ...options, pageNumber: 0 }));
      expect(first.pagination.total_count).toBe(ids.length);
      const owners = isEditions ? ids.map(() => null) : await ownersOf(collection, ids);
      expect(items.map(({ nft_data: data }) => data.current_owner)).toEqual(owners);
      const receivers = new Map([...moves].reverse().map(({ id, from, to }) => [id, from === zeroAddress ? to : from]));
      // The first transfer of an id is its mint.
      expect(items.map(({ nft_data: data }) => data.original_owner)).toEqual(ids.map((id) => receivers.get(id)));

      const uris = await urisOf(collection, ids, isEditions ? "uri" : "tokenURI");
      const documents = await documentsOf(collection, ids, isEditions ? "uri" : "tokenURI");
      const alive = items.filter(({ nft_data: data }) => documents.has(data.token_id ?? -1n));
      expect(alive.map(({ nft_data: data }) => data.token_url)).toEqual(uris.filter((uri) => uri !== null));
      expect(alive.map(({ nft_data: data }) => shown(data))).toEqual([...documents.values()].map(said));
      expect(alive.every(({ nft_data: data }) => data.asset_cached && !data.image_cached)).toBe(true);
      // The contract no longer returns the URI of a burned token.
      const burnt = items.filter(({ nft_data: data }) => !documents.has(data.token_id ?? -1n));
      expect(burnt.every(({ nft_data: data }) => data.current_owner === zeroAddress && data.external_data === null)).toBe(true);
    },
  );

  it("row 8: returns pages filtered by trait, value, or both", async () => {
    const garden = decent().garden;
    const documents = await documentsOf(garden, idsOf(await movesOf(garden)));
    const matching = (fits: (trait: string | null, value: string | null) => boolean) =>
      [...documents].filter(([, { traits }]) => traits?.some(({ trait_type: trait, value }) => fits(trait, value))).map(([id]) => id);
    const cases = [
      [{ traitsFilter: "Vigour" }, (trait: string | null) => trait === "Vigour"],
      [{ valuesFilter: "Peat,Ghost Orchid" }, (_: string | null, value: string | null) => value === "Peat" || value === "Ghost Orchid"],
      [
        { traitsFilter: "Species,Bloom", valuesFilter: "Medlar,Blue" },
        (trait: string | null, value: string | null) =>
          ["Species", "Bloom"].includes(trait ?? "") && ["Medlar", "Blue"].includes(value ?? ""),
      ],
      [{ traitsFilter: "Petals", valuesFilter: "7" }, (trait: string | null, value: string | null) => trait === "Petals" && value === "7"],
      [{ traitsFilter: "nothing of the kind" }, () => false],
    ] as const;
    for (const [filter, fits] of cases) {
      const { items, total } = await allPages((pageNumber) =>
        service.getTokenIdsForContractWithMetadataByPage(chain, garden, { ...filter, pageSize: 100, pageNumber }),
      );
      const expected = matching(fits);
      expect(
        items.map(({ nft_data: data }) => data.token_id),
        JSON.stringify(filter),
      ).toEqual(expected);
      expect(total).toBe(expected.length);
    }
    expect(matching(cases[0][1]).length).toBeGreaterThan(100);
  });

  it("row 8: omits metadata on request", async () => {
    const { items } = await dataOf(
      service.getTokenIdsForContractWithMetadataByPage(chain, decent().art, { noMetadata: true, pageSize: 10 }),
    );
    expect(items.map(({ nft_data: data }) => data.external_data)).toEqual(Array.from({ length: 10 }, () => null));
  });

  it("row 9: returns one token", async () => {
    const { art, lanterns } = decent();
    for (const [collection, id] of [
      [art, storyValue("artTokenId")],
      [lanterns, "7"],
    ] as const) {
      const { items, pagination } = await dataOf(service.getNftMetadataForGivenTokenIdForContract(chain, collection, id));
      expect([items.length, pagination]).toEqual([1, null]);
      const [document] = (await documentsOf(collection, [BigInt(id)])).values();
      const data = items[0]?.nft_data;
      expect([data?.token_id, data?.current_owner, data?.token_url, data && shown(data)]).toEqual([
        BigInt(id),
        (await ownersOf(collection, [BigInt(id)]))[0],
        document?.uri,
        document && said(document),
      ]);
      expect(data?.external_data.asset_mime_type).toBe("image/svg+xml");
    }
    const bare = await dataOf(
      service.getNftMetadataForGivenTokenIdForContract(chain, art, storyValue("artTokenId"), { noMetadata: true, withUncached: true }),
    );
    expect(bare.items[0]?.nft_data.external_data).toBeNull();
  });

  it("row 14: iterates the collections with stored metadata and their counts", async () => {
    const options = { pageSize: 2 };
    const items = await all(service.getChainCollections(chain, options));
    const addresses = items.map(({ contract_address: address }) => address);
    expect(addresses).toEqual([...addresses].sort());
    const firstPage = await dataOf(service.getChainCollectionsByPage(chain, { ...options, noSpam: true }));
    expect(firstPage.items.map(({ contract_address: address }) => address)).toEqual(addresses.slice(0, 2));
    for (const [name, collection] of Object.entries(decent())) {
      const item = items.find(({ contract_address: address }) => address === collection);
      const ids = idsOf(await movesOf(collection));
      const documents = await documentsOf(collection, ids, name === "editions" ? "uri" : "tokenURI");
      expect([item?.token_total_supply, item?.cached_metadata_count, item?.cached_asset_count], name).toEqual([
        ids.length,
        documents.size,
        [...documents.values()].filter(({ image }) => image?.startsWith("data:")).length,
      ]);
      expect(isValidDate(item?.last_scraped_at)).toBe(true);
    }
  });
});

describe("the npm client's NftService for one token", () => {
  it("row 10: returns all transactions that moved it, newest first, equal to the node's", async () => {
    const [garden, id] = [decent().garden, storyValue("tradedTokenId")];
    const moves = (await movesOf(garden)).filter((move) => move.id === BigInt(id));
    const hashes = [...new Set(moves.map(({ hash }) => hash))].reverse();
    const { items } = await dataOf(service.getNftTransactionsForContractTokenId(chain, garden, id, { noSpam: true }));
    expect(items.map(({ contract_address: address }) => address)).toEqual([garden]);
    const transactions = items[0]?.nft_transactions ?? [];
    expect(transactions.map(({ tx_hash: hash }) => hash)).toEqual(hashes);
    expect(hashes.length).toBeGreaterThan(4);
    for (const item of transactions) {
      const [receipt, transaction] = await Promise.all([
        node<{ readonly gasUsed: string; readonly effectiveGasPrice: string; readonly logs: readonly { readonly logIndex: string }[] }>(
          "eth_getTransactionReceipt",
          item.tx_hash,
        ),
        node<{ readonly value: string; readonly from: string; readonly to: string; readonly blockNumber: string }>(
          "eth_getTransactionByHash",
          item.tx_hash,
        ),
      ]);
      expect([item.from_address, item.to_address, item.value, item.fees_paid, item.block_height]).toEqual([
        transaction.from,
        transaction.to,
        BigInt(transaction.value),
        BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice),
        Number(transaction.blockNumber),
      ]);
      expect(item.log_events.map(({ log_offset: offset }) => offset)).toEqual(receipt.logs.map(({ logIndex }) => Number(logIndex)));
      expect(item.block_signed_at.getTime() / 1000).toBe(await timeOf(item.block_height));
    }
  });

  it("row 10: returns those of units of an edition, and none of an id that never existed", async () => {
    const editions = decent().editions;
    const moves = (await movesOf(editions)).filter(({ id }) => id === 3n);
    const hashes = [...new Set(moves.map(({ hash }) => hash))];
    const { items } = await dataOf(service.getNftTransactionsForContractTokenId(chain, editions, "3"));
    expect(items[0]?.nft_transactions.map(({ tx_hash: hash }) => hash)).toEqual(hashes.reverse());
    const none = await dataOf(service.getNftTransactionsForContractTokenId(chain, editions, "987654321"));
    expect(none.items.flatMap(({ nft_transactions: transactions }) => transactions)).toEqual([]);
  });

  it("returns faces, which emit their own transfer events", async () => {
    const faces = storyValue("punks");
    const assigned = await logsOf({ address: faces, topics: [assign] });
    const items = await all(service.getTokenIdsForContractWithMetadata(chain, faces, { pageSize: 15 }));
    const ids = items.map(({ nft_data: data }) => data.token_id ?? -1n);
    expect(items.map(({ nft_data: data }) => data.current_owner)).toEqual(await ownersOf(faces, ids, "punkIndexToAddress"));
    const owned = (
      await ownersOf(
        faces,
        Array.from({ length: 40 }, (_, id) => BigInt(id)),
        "punkIndexToAddress",
      )
    ).filter((owner) => owner !== zeroAddress);
    expect(ids.length).toBe(owned.length);
    const first = new Map(assigned.map(({ topics, data }) => [BigInt(data), addressOf(topics[1])]));
    expect(items.map(({ nft_data: data }) => data.original_owner)).toEqual(ids.map((id) => first.get(id)));
  });
});
