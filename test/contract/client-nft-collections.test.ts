import { toEventSelector } from "viem";
import { describe, expect, it, test } from "vitest";
import { documentsOf, idsOf, movesOf, ownersOf, regularCollections, urisOf, zeroAddress } from "../support/story-collections.ts";
import { addressOf, callNode, logsOf, storyValue, timeOf } from "../support/story-node.ts";
import { documentFields, servedFields } from "./nfts.ts";
import { all, allPages, chain, dataOf, isValidDate, useNpmClient } from "./npm-client.ts";

const { NftService: service } = await useNpmClient();

/** The event with which CryptoPunks assigns the first owner of a token; no other contract emits it. */
const assign: string = toEventSelector("Assign(address,uint256)");

describe("the npm client's NftService for collections", () => {
  test.each(Object.keys(regularCollections()) as (keyof ReturnType<typeof regularCollections>)[])(
    "getTokenIdsForContractWithMetadata iterates over all tokens of the %s, each with its owner and metadata",
    async (name) => {
      const collection = regularCollections()[name];
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
      const existing = items.filter(({ nft_data: data }) => documents.has(data.token_id ?? -1n));
      expect(existing.map(({ nft_data: data }) => data.token_url)).toEqual(uris.filter((uri) => uri !== null));
      expect(existing.map(({ nft_data: data }) => servedFields(data))).toEqual([...documents.values()].map(documentFields));
      expect(existing.every(({ nft_data: data }) => data.asset_cached && !data.image_cached)).toBe(true);
      // The contract no longer returns the URI of a burned token.
      const burned = items.filter(({ nft_data: data }) => !documents.has(data.token_id ?? -1n));
      expect(burned.every(({ nft_data: data }) => data.current_owner === zeroAddress && data.external_data === null)).toBe(true);
    },
  );

  test("getTokenIdsForContractWithMetadata returns pages filtered by trait, value, or both", async () => {
    const garden = regularCollections().garden;
    const documents = await documentsOf(garden, idsOf(await movesOf(garden)));
    const idsWith = (matches: (trait: string | null, value: string | null) => boolean) =>
      [...documents].filter(([, { traits }]) => traits?.some(({ trait_type: trait, value }) => matches(trait, value))).map(([id]) => id);
    const cases = [
      [{ traitsFilter: "Vigour" }, (trait: string | null) => trait === "Vigour"],
      [{ valuesFilter: "Peat,Ghost Orchid" }, (_: string | null, value: string | null) => value === "Peat" || value === "Ghost Orchid"],
      [
        { traitsFilter: "Species,Bloom", valuesFilter: "Medlar,Blue" },
        (trait: string | null, value: string | null) =>
          ["Species", "Bloom"].includes(trait ?? "") && ["Medlar", "Blue"].includes(value ?? ""),
      ],
      [{ traitsFilter: "Petals", valuesFilter: "7" }, (trait: string | null, value: string | null) => trait === "Petals" && value === "7"],
      [{ traitsFilter: "no such trait" }, () => false],
    ] as const;
    for (const [filter, matches] of cases) {
      const { items, total } = await allPages((pageNumber) =>
        service.getTokenIdsForContractWithMetadataByPage(chain, garden, { ...filter, pageSize: 100, pageNumber }),
      );
      const expected = idsWith(matches);
      expect(
        items.map(({ nft_data: data }) => data.token_id),
        JSON.stringify(filter),
      ).toEqual(expected);
      expect(total).toBe(expected.length);
    }
    expect(idsWith(cases[0][1]).length).toBeGreaterThan(100);
  });

  test("getTokenIdsForContractWithMetadata omits metadata on request", async () => {
    const { items } = await dataOf(
      service.getTokenIdsForContractWithMetadataByPage(chain, regularCollections().art, { noMetadata: true, pageSize: 10 }),
    );
    expect(items.map(({ nft_data: data }) => data.external_data)).toEqual(Array.from({ length: 10 }, () => null));
  });

  test("getNftMetadataForGivenTokenIdForContract returns a single token", async () => {
    const { art, lanterns } = regularCollections();
    for (const [collection, id] of [
      [art, storyValue("artTokenId")],
      [lanterns, "7"],
    ] as const) {
      const { items, pagination } = await dataOf(service.getNftMetadataForGivenTokenIdForContract(chain, collection, id));
      expect([items.length, pagination]).toEqual([1, null]);
      const [document] = (await documentsOf(collection, [BigInt(id)])).values();
      const data = items[0]?.nft_data;
      expect([data?.token_id, data?.current_owner, data?.token_url, data && servedFields(data)]).toEqual([
        BigInt(id),
        (await ownersOf(collection, [BigInt(id)]))[0],
        document?.uri,
        document && documentFields(document),
      ]);
      expect(data?.external_data.asset_mime_type).toBe("image/svg+xml");
    }
    const withoutMetadata = await dataOf(
      service.getNftMetadataForGivenTokenIdForContract(chain, art, storyValue("artTokenId"), { noMetadata: true, withUncached: true }),
    );
    expect(withoutMetadata.items[0]?.nft_data.external_data).toBeNull();
  });

  test("getChainCollections iterates over the collections with stored metadata, and returns their counts", async () => {
    const options = { pageSize: 2 };
    const items = await all(service.getChainCollections(chain, options));
    const addresses = items.map(({ contract_address: address }) => address);
    expect(addresses).toEqual([...addresses].sort());
    const firstPage = await dataOf(service.getChainCollectionsByPage(chain, { ...options, noSpam: true }));
    expect(firstPage.items.map(({ contract_address: address }) => address)).toEqual(addresses.slice(0, 2));
    for (const [name, collection] of Object.entries(regularCollections())) {
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
  test("getNftTransactionsForContractTokenId returns all transactions that transferred the token, newest first, with the node's values", async () => {
    const [garden, id] = [regularCollections().garden, storyValue("tradedTokenId")];
    const moves = (await movesOf(garden)).filter((move) => move.id === BigInt(id));
    const hashes = [...new Set(moves.map(({ hash }) => hash))].reverse();
    const { items } = await dataOf(service.getNftTransactionsForContractTokenId(chain, garden, id, { noSpam: true }));
    expect(items.map(({ contract_address: address }) => address)).toEqual([garden]);
    const transactions = items[0]?.nft_transactions ?? [];
    expect(transactions.map(({ tx_hash: hash }) => hash)).toEqual(hashes);
    expect(hashes.length).toBeGreaterThan(4);
    for (const item of transactions) {
      const [receipt, transaction] = await Promise.all([
        callNode<{ readonly gasUsed: string; readonly effectiveGasPrice: string; readonly logs: readonly { readonly logIndex: string }[] }>(
          "eth_getTransactionReceipt",
          item.tx_hash,
        ),
        callNode<{ readonly value: string; readonly from: string; readonly to: string; readonly blockNumber: string }>(
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

  test("getNftTransactionsForContractTokenId returns the transactions of an edition's units, and none for an id that never existed", async () => {
    const editions = regularCollections().editions;
    const moves = (await movesOf(editions)).filter(({ id }) => id === 3n);
    const hashes = [...new Set(moves.map(({ hash }) => hash))];
    const { items } = await dataOf(service.getNftTransactionsForContractTokenId(chain, editions, "3"));
    expect(items[0]?.nft_transactions.map(({ tx_hash: hash }) => hash)).toEqual(hashes.reverse());
    const unknownId = await dataOf(service.getNftTransactionsForContractTokenId(chain, editions, "987654321"));
    expect(unknownId.items.flatMap(({ nft_transactions: transactions }) => transactions)).toEqual([]);
  });

  it("returns the tokens of CryptoPunks, whose contract emits its own transfer events", async () => {
    const punks = storyValue("punks");
    const assigned = await logsOf({ address: punks, topics: [assign] });
    const items = await all(service.getTokenIdsForContractWithMetadata(chain, punks, { pageSize: 15 }));
    const ids = items.map(({ nft_data: data }) => data.token_id ?? -1n);
    expect(items.map(({ nft_data: data }) => data.current_owner)).toEqual(await ownersOf(punks, ids, "punkIndexToAddress"));
    const owned = (
      await ownersOf(
        punks,
        Array.from({ length: 40 }, (_, id) => BigInt(id)),
        "punkIndexToAddress",
      )
    ).filter((owner) => owner !== zeroAddress);
    expect(ids.length).toBe(owned.length);
    const firstOwners = new Map(assigned.map(({ topics, data }) => [BigInt(data), addressOf(topics[1])]));
    expect(items.map(({ nft_data: data }) => data.original_owner)).toEqual(ids.map((id) => firstOwners.get(id)));
  });
});
