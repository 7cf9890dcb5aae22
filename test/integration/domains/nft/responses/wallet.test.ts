import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf, type Data, timeOf } from "../../queries/fixture-index.ts";
import { alice, art, bob, both, get, idsOf, maxTokenId, setUp, spam, tearDown } from "./collections.ts";

beforeAll(setUp);
afterAll(tearDown);

describe("NFTs of a wallet", () => {
  it("are empty for a wallet that never held any", async () => {
    expect((await get(`address/${addressOf(0xffff)}/balances_nft/`)).items).toEqual([]);
    expect((await get(`address/${addressOf(0xffff)}/collection/${art}/`)).items).toEqual([]);
  });

  it("are grouped by collection, with ids and the balance a day ago, and without ERC-20 tokens", async () => {
    const { items } = await get(`address/${alice}/balances_nft/`);
    // Block 16 was a day before block 20; nothing moved after it.
    expect(
      items.map((item: Data) => [item.contract_address, item.balance, item.balance_24h, item.nft_data.map((id: Data) => id.token_id)]),
    ).toEqual([
      [art, "3", "3", ["1", "4", maxTokenId]],
      [both, "7", "7", ["1"]],
      [spam, "1", "1", ["1"]],
    ]);
    expect(items.map((item: Data) => [item.supports_erc, item.is_spam, item.last_transfered_at])).toEqual([
      [["erc721"], false, timeOf(12)],
      [["erc721", "erc1155"], false, timeOf(2)],
      [["erc721"], true, timeOf(2)],
    ]);
    expect(items[0].nft_data[0]).toMatchObject({ current_owner: alice, original_owner: alice, external_data: { name: "One" } });
    expect(items[1].nft_data[0].current_owner).toBeNull();
  });

  it("are returned without spam and metadata on request", async () => {
    const { items } = await get(`address/${alice}/balances_nft/?no-spam=true&no-nft-asset-metadata=true`);
    expect(items.map((item: Data) => item.contract_address)).toEqual([art, both]);
    expect(items[0].nft_data.map((id: Data) => [id.external_data, id.token_url])).toEqual([
      [null, "ipfs://art/1"],
      [null, "https://art.example/4"],
      [null, null],
    ]);
  });

  it("are filtered by traits within one collection", async () => {
    const query = (traits: string, values: string) =>
      get(`address/${alice}/collection/${art}/?traits-filter=${traits}&values-filter=${values}`);
    expect(idsOf((await query("Colour", "Red")).items)).toEqual(["1"]);
    // Id 2 has a red background and belongs to Bob.
    expect(idsOf((await query("Background", "Red")).items)).toEqual([]);
    expect(idsOf((await get(`address/${bob}/collection/${art}/?traits-filter=Background&values-filter=Red`)).items)).toEqual(["2"]);
    expect(idsOf((await query("Colour", "Round")).items)).toEqual([]);
  });

  it("are returned for one id", async () => {
    const { items, is_spam: isSpam } = await get(`address/${bob}/collection/${art}/token/2/`);
    expect(isSpam).toBe(false);
    expect(items).toMatchObject([
      {
        token_id: "2",
        balance: "1",
        balance_24h: "1",
        last_transfered_at: timeOf(12),
        nft_data: { current_owner: bob, original_owner: alice },
      },
    ]);
    expect((await get(`address/${alice}/collection/${art}/token/2/`)).items).toEqual([]);
    expect((await get(`address/${alice}/collection/${art}/token/777/`)).items).toEqual([]);
  });

  it("are included in balances, with metadata in the older format or without metadata", async () => {
    const nftsOf = async (query: string) =>
      (await get(`address/${alice}/${query}`)).items.find((item: Data) => item.contract_address === art).nft_data;
    const [first, fourth] = await nftsOf("balances_v2/?nft=true");
    expect(first).toMatchObject({
      token_id: "1",
      token_url: "ipfs://art/1",
      original_owner: alice,
      burned: false,
      external_data: { name: "One", owner: null },
    });
    expect(fourth).toMatchObject({ token_id: "4", token_url: "https://art.example/4", external_data: null });
    expect((await nftsOf("balances_v2/?nft=true&no-nft-asset-metadata=true"))[0].external_data).toBeNull();
    const past = await nftsOf("historical_balances/?nft=true&block-height=11");
    expect(past.map((id: Data) => [id.token_id, id.external_data?.owner ?? null])).toEqual([
      ["1", null],
      ["2", null],
      ["3", "somebody"],
      ["4", null],
      [maxTokenId, null],
    ]);
    expect(await nftsOf("balances_v2/?nft=false")).toBeNull();
  });

  it("are limited in balances to those with cached metadata on request", async () => {
    const itemsOf = async (query: string) => (await get(`address/${alice}/${query}`)).items;
    const nftsIn = (items: Data) =>
      items.flatMap((item: Data) => (item.nft_data ?? []).map((id: Data) => `${item.contract_address} ${id.token_id}`));
    const [all, cached] = [await itemsOf("balances_v2/?nft=true"), await itemsOf("balances_v2/?nft=true&no-nft-fetch=true")];
    // The collections are listed either way; alice holds id 1, whose document was read, and id 4, whose document was refused.
    expect(cached.map((item: Data) => item.contract_address)).toEqual(all.map((item: Data) => item.contract_address));
    expect(nftsIn(all)).toEqual(expect.arrayContaining([`${art} 1`, `${art} 4`]));
    expect(nftsIn(cached)).toEqual([`${art} 1`]);
    expect(cached.find((item: Data) => item.contract_address === art).nft_data[0].external_data).toMatchObject({ name: "One" });
    expect(nftsIn(await itemsOf("historical_balances/?nft=true&no-nft-fetch=true&block-height=11"))).toEqual(
      [1, 2, 3].map((id) => `${art} ${id}`),
    );
    expect((await itemsOf("balances_v2/?no-nft-fetch=true")).every((item: Data) => item.nft_data === null)).toBe(true);
  });
});
