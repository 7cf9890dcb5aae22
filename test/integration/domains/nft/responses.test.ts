import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Address, zeroAddress } from "../../../../runtime/lib/hex.ts";
import { parseCsv } from "../../../support/csv.ts";
import {
  addressOf,
  type Data,
  type FixtureIndex,
  openFixtureIndex,
  type Row,
  timeOf,
  transactionHashOf,
  transactionRow,
  wordOf,
} from "../queries/fixture-index.ts";

/**
 * Blocks 0 to 20, four per day: a collection of five ids, three minted in block 2 and two in block 9; a contract of both standards; a spam collection;
 * an ERC-20 token. The metadata of ids 1 to 4 was read; that of id 4 was refused.
 */
const head = 20;
const [art, both, spam, coin] = [0xa1, 0xa2, 0xa3, 0xa4].map(addressOf) as [Address, Address, Address, Address];
const [alice, bob] = [0xb1, 0xb2].map(addressOf) as [Address, Address];
const maxTokenId = String(2n ** 256n - 1n);
const chain_id = 7;

const token = (token: string, token_id: string, block_number: number, standard = 2, original_owner: string | null = alice): Row => ({
  chain_id,
  token,
  token_id,
  standard,
  block_number,
  original_owner,
});
const size = (token: string, block_number: number, tokens: number): Row => ({ chain_id, token, block_number, tokens });
const read = (token_id: string, values: Row): Row => ({
  chain_id,
  token: art,
  token_id,
  standard: 2,
  block_number: 2,
  read_at_block: 10,
  read_at: "2026-01-03T00:00:00Z",
  ...values,
});
const trait = (token_id: string, position: number, name: string, value: string): Row => ({
  chain_id,
  token: art,
  token_id,
  position,
  read_at_block: 10,
  trait: name,
  value,
});
let ordinal = 0;
const transferRow = (token: string, token_id: string, block_number: number, from: string, to: string, standard = 2): Row => ({
  chain_id,
  block_number,
  ordinal: ordinal++,
  transaction_index: 0,
  standard,
  token,
  token_id,
  from_address: from,
  to_address: to,
  amount: "1",
});
const holding = (owner: string, token: string, token_id: string, since_block: number, balance: string | null, standard = 2): Row => ({
  chain_id,
  owner,
  token,
  token_id,
  standard,
  since_block,
  balance,
});

/** Inserts the rows that the tests read. */
async function fill(index: FixtureIndex): Promise<void> {
  await index.blocks(0, head, { 2: 1, 9: 1, 12: 1 });
  await index.insert("token_standards", [
    { chain_id, address: art, standard: 2, block_number: 2 },
    { chain_id, address: both, standard: 2, block_number: 2 },
    { chain_id, address: both, standard: 3, block_number: 2 },
    { chain_id, address: spam, standard: 2, block_number: 2 },
    { chain_id, address: coin, standard: 1, block_number: 2 },
  ]);
  const metadataRow = (address: string, name: string): Row => ({
    chain_id,
    address,
    block_number: 2,
    name,
    symbol: "S",
    decimals: null,
    read_at_block: 2,
  });
  await index.insert("token_metadata", [metadataRow(art, "Art"), metadataRow(spam, "Visit claim-rewards.com to claim")]);
  await index.insert("nft_tokens", [
    ...["1", "2", "3"].map((id) => token(art, id, 2)),
    ...["4", maxTokenId].map((id) => token(art, id, 9)),
    token(both, "1", 2, 2),
    token(both, "1", 2, 3),
    token(spam, "1", 2),
  ]);
  await index.insert("nft_collection_sizes", [size(art, 2, 3), size(art, 9, 5), size(both, 2, 2), size(spam, 2, 1)]);
  await index.insert("transactions", [transactionRow(2, 0, alice, art), transactionRow(9, 0, alice, art), transactionRow(12, 0, bob, art)]);
  await index.insert("logs", [
    { chain_id, block_number: 12, log_index: 0, transaction_index: 0, address: art, topic0: wordOf(1), data: "0x" },
  ]);
  await index.insert("transfers", [
    ...["1", "2", "3"].map((id) => transferRow(art, id, 2, zeroAddress, alice)),
    ...["4", maxTokenId].map((id) => transferRow(art, id, 9, zeroAddress, alice)),
    transferRow(art, "2", 12, alice, bob),
    transferRow(art, "3", 12, alice, zeroAddress),
  ]);
  await index.balances(alice, art, 2, { 2: "3", 9: "5", 12: "3" });
  await index.balances(bob, art, 2, { 12: "1" });
  await index.balances(alice, spam, 2, { 2: "1" });
  await index.balances(alice, both, 3, { 2: "7" });
  await index.balances(alice, coin, 1, { 2: "100" });
  await index.insert("nft_balances", [
    ...["1", "4", maxTokenId].map((id) => holding(alice, art, id, id === "1" ? 2 : 9, "1")),
    holding(alice, art, "2", 12, "0"),
    holding(alice, art, "3", 12, "0"),
    holding(bob, art, "2", 12, "1"),
    holding(alice, spam, "1", 2, "1"),
    holding(alice, both, "1", 2, "7", 3),
  ]);
  await index.insert(
    "nft_balance_periods",
    ["2", "3"].map((id) => ({ chain_id, owner: alice, token: art, token_id: id, standard: 2, from_block: 2, to_block: 11, balance: "1" })),
  );
  await index.insert("nft_metadata", [
    read("1", {
      token_url: "ipfs://art/1",
      document: "{}",
      name: "One",
      description: "=1+1",
      image: "ipfs://art/images/1.PNG?size=big",
      attributes: [
        { trait_type: "Colour", value: "Red" },
        { trait_type: "Shape", value: null },
      ] as never,
    }),
    read("2", {
      token_url: "data:,x",
      document: "{}",
      image: "data:image/svg+xml;base64,AA==",
      asset_bytes: 1,
      refusal: "Its animation_url has a scheme that is not accepted.",
    }),
    read("3", {
      token_url: "ar://x",
      document: "{}",
      image: "https://example.com",
      animation_url: "https://example.com/a/film.mp4#t=1",
      owner: "somebody",
    }),
    read("4", { token_url: "https://art.example/4", refusal: "The document is not JSON." }),
  ]);
  await index.insert("nft_attributes", [
    trait("1", 0, "Colour", "Red"),
    trait("1", 1, "Shape", "Round"),
    trait("2", 0, "Colour", "Blue"),
    trait("2", 1, "Background", "Red"),
    trait("3", 0, "colour", "red"),
    trait("3", 1, "Shape", "Round"),
  ]);
}

let index: FixtureIndex;
const urlOf = (path: string) => `/v1/fixture/${path}`;
const get = async (path: string): Promise<Data> => {
  const { status, data, message } = await index.get(urlOf(path));
  expect(status, `${path}: ${message}`).toBe(200);
  return data;
};
const idsOf = (items: Data): string[] => items.map((item: Data) => item.nft_data.token_id);

beforeAll(async () => {
  index = await openFixtureIndex({ answerRows: 8, now: () => new Date(timeOf(head)) });
  await fill(index);
});
afterAll(() => index?.end());

describe("tokens of a collection", () => {
  it("are paged in ascending order with an exact count", async () => {
    const page = (number: number, more = "") => get(`nft/${art}/metadata/?page-size=2&page-number=${number}${more}`);
    const [first, second, third, beyond] = [await page(0), await page(1), await page(2), await page(3)];
    expect([first, second, third, beyond].map(({ items }) => idsOf(items))).toEqual([["1", "2"], ["3", "4"], [maxTokenId], []]);
    expect([first, second, third, beyond].map(({ pagination }) => pagination.has_more)).toEqual([true, true, false, false]);
    expect(third.pagination).toEqual({ has_more: false, page_number: 2, page_size: 2, total_count: 5 });
    const exact = await get(`nft/${art}/metadata/?page-size=5`);
    expect([idsOf(exact.items).length, exact.pagination.has_more]).toEqual([5, false]);
  });

  it("are pinned to one block while later pages are requested", async () => {
    const other = await openFixtureIndex({ now: () => new Date(timeOf(head)) });
    await fill(other);
    const page = async (number: number) => (await other.get(urlOf(`nft/${art}/metadata/?page-size=3&page-number=${number}`))).data;
    expect((await page(0)).pagination.total_count).toBe(5);
    await other.blocks(head + 1, head + 1);
    await other.insert("nft_tokens", [token(art, "0", head + 1)]);
    await other.insert("nft_collection_sizes", [size(art, head + 1, 6)]);
    await other.database.query("UPDATE projection_checkpoints SET block_number = $1", [head + 1]);
    const second = await page(1);
    expect([idsOf(second.items), second.pagination.total_count]).toEqual([["4", maxTokenId], 5]);
    // A new list contains the new token.
    expect(idsOf((await page(0)).items)).toEqual(["0", "1", "2"]);
    await other.end();
  });

  it("are returned as of the projection's checkpoint", async () => {
    const other = await openFixtureIndex({ now: () => new Date(timeOf(head)) });
    await fill(other);
    await other.database.query("UPDATE projection_checkpoints SET block_number = 8");
    const { items, pagination } = (await other.get(urlOf(`nft/${art}/metadata/`))).data;
    expect([idsOf(items), pagination.total_count]).toEqual([["1", "2", "3"], 3]);
    const later = await other.get(urlOf(`nft/${art}/metadata/4/`));
    expect([later.status, later.headers["retry-after"]]).toEqual([503, "30"]);
    expect(later.message).toBe(`NFT collections are being rebuilt: at block 8 of ${head}. Retry later.`);
    await other.database.query("DELETE FROM projection_checkpoints");
    expect((await other.get(urlOf(`nft/${art}/metadata/`))).message).toBe(
      `NFT collections are being rebuilt: no block of ${head} yet. Retry later.`,
    );
    await other.end();
  });

  it("have owners: the zero address for a burned id, null for an ERC-1155 id", async () => {
    const { items } = await get(`nft/${art}/metadata/`);
    expect(items.map((item: Data) => item.nft_data.current_owner)).toEqual([alice, bob, zeroAddress, alice, alice]);
    const twice = await get(`nft/${both}/metadata/`);
    expect([idsOf(twice.items), twice.pagination.total_count]).toEqual([["1", "1"], 2]);
    expect(twice.items[1].nft_data.current_owner).toBeNull();
  });

  it("have their metadata, or the reason why there is none", async () => {
    const { items } = await get(`nft/${art}/metadata/`);
    const [first, second, third, fourth, fifth] = items.map((item: Data) => item.nft_data);
    expect(first).toMatchObject({ token_url: "ipfs://art/1", asset_cached: true, image_cached: false, metadata_refusal: null });
    expect(first.external_data).toEqual({
      name: "One",
      description: "=1+1",
      asset_url: "ipfs://art/images/1.PNG?size=big",
      asset_file_extension: "png",
      asset_mime_type: "image/png",
      asset_size_bytes: null,
      image: "ipfs://art/images/1.PNG?size=big",
      image_256: null,
      image_512: null,
      image_1024: null,
      animation_url: null,
      external_url: null,
      attributes: [
        { trait_type: "Colour", value: "Red" },
        { trait_type: "Shape", value: null },
      ],
    });
    expect(second.external_data).toMatchObject({ asset_file_extension: "svg", asset_mime_type: "image/svg+xml", asset_size_bytes: "1" });
    expect(second.metadata_refusal).toMatch(/animation_url/);
    expect(third.external_data).toMatchObject({ asset_url: "https://example.com/a/film.mp4#t=1", asset_mime_type: "video/mp4" });
    expect(fourth).toMatchObject({
      token_url: "https://art.example/4",
      asset_cached: false,
      external_data: null,
      metadata_refusal: "The document is not JSON.",
    });
    expect(fifth).toMatchObject({ token_url: null, asset_cached: false, external_data: null, metadata_refusal: null });
  });

  it("are returned without metadata on request", async () => {
    const { items } = await get(`nft/${art}/metadata/?no-metadata=true`);
    expect(items.map((item: Data) => item.nft_data.external_data)).toEqual([null, null, null, null, null]);
    expect(items[0].nft_data.asset_cached).toBe(true);
  });

  it.each([
    ["traits-filter=Colour", ["1", "2"]],
    ["traits-filter=Shape", ["1", "3"]],
    ["traits-filter=Colour,colour", ["1", "2", "3"]],
    ["values-filter=Red", ["1", "2"]],
    ["values-filter=Red,red", ["1", "2", "3"]],
    ["traits-filter=Colour&values-filter=Red", ["1"]],
    ["traits-filter=Colour,Shape&values-filter=Red,Round", ["1", "3"]],
    ["traits-filter=Colour&values-filter=Round", []],
    ["traits-filter=Colour&values-filter=Green", []],
    ["traits-filter=%25", []],
    ["values-filter=%27%20OR%201=1%20--", []],
  ])("are filtered by traits: %s", async (query, ids) => {
    const { items, pagination } = await get(`nft/${art}/metadata/?${query}`);
    expect([idsOf(items), pagination.total_count, pagination.has_more]).toEqual([ids, ids.length, false]);
  });

  it("are paged with a filter", async () => {
    const page = (number: number) => get(`nft/${art}/metadata/?values-filter=Red,Round,red&page-size=2&page-number=${number}`);
    const [first, second] = [await page(0), await page(1)];
    expect([idsOf(first.items), first.pagination.has_more, idsOf(second.items), second.pagination.has_more]).toEqual([
      ["1", "2"],
      true,
      ["3"],
      false,
    ]);
    expect([first.pagination.total_count, second.pagination.total_count]).toEqual([3, 3]);
  });

  it("are filtered by the first 256 characters of a trait and value, as they are stored", async () => {
    // The characters are code points, not UTF-16 code units.
    const long = "\u{1f33a}".repeat(300);
    await index.insert("nft_attributes", [trait("4", 0, "Long", "\u{1f33a}".repeat(256))]);
    const { items } = await get(`nft/${art}/metadata/?values-filter=${encodeURIComponent(long)}`);
    expect(idsOf(items)).toEqual(["4"]);
  });

  it("are returned as CSV with the pagination in headers", async () => {
    const { text, headers } = await index.get(urlOf(`nft/${art}/metadata/?page-size=2&format=csv`));
    const rows = parseCsv(text);
    expect([rows.length, headers["x-total-count"], headers["x-has-more"]]).toEqual([3, "5", "true"]);
    const description = rows[0]?.indexOf("nft_data.external_data.description") ?? -1;
    // A spreadsheet would evaluate it as a formula.
    expect(rows[1]?.[description]).toBe("'=1+1");
  });
});

describe("an invalid or oversized request", () => {
  it.each([
    `nft/${addressOf(0xdead)}/metadata/`,
    `nft/${coin}/metadata/`,
    `nft/${addressOf(0xdead)}/metadata/1/`,
    `nft/${art}/metadata/6/`,
    `tokens/${addressOf(0xdead)}/nft_transactions/1/`,
    `address/${alice}/collection/${addressOf(0xdead)}/`,
    `address/${alice}/collection/${coin}/token/1/`,
  ])("returns 404: %s", async (path) => {
    const { status, data, message } = await index.get(urlOf(path));
    expect([status, data]).toEqual([404, null]);
    expect(message).toMatch(/^(Collection|Token) .+ not found in the index of fixture\.$/);
  });

  it.each([
    [`nft/${art}/metadata/-1/`, /tokenId/],
    [`nft/${art}/metadata/${2n ** 256n}/`, /tokenId/],
    [`nft/${art}/metadata/0x1/`, /tokenId/],
    [`nft/${art}/metadata/?page-size=0`, /page-size/],
    [`nft/${art}/metadata/?page-size=1001`, /page-size/],
    [`nft/${art}/metadata/?traits-filter=a,,b`, /traits-filter/],
    [`nft/${art}/metadata/?traits-filter=${Array.from({ length: 21 }, () => "a").join(",")}`, /traits-filter/],
    [`nft/${art}/metadata/?values-filter=%00`, /values-filter/],
    [`nft/0x12/metadata/`, /contractAddress/],
    [`address/${alice}/collection/${art}/?traits-filter=Colour`, /values-filter/],
    [`address/${alice}/collection/${art}/?values-filter=Red`, /traits-filter/],
    [`address/nobody/balances_nft/`, /walletAddress/],
  ])("returns 400: %s", async (path, pattern) => {
    const { status, message } = await index.get(urlOf(path));
    expect([status, message]).toEqual([400, expect.stringMatching(pattern)]);
  });

  it("returns 400 if the response would exceed the maximum number of rows", async () => {
    const crowded = addressOf(0xc1);
    // Nine ids exceed the limit of eight rows.
    await index.insert(
      "nft_balances",
      Array.from({ length: 9 }, (_, id) => holding(crowded, art, String(1000 + id), 2, "1")),
    );
    await index.balances(crowded, art, 2, { 2: "9" });
    for (const path of [`address/${crowded}/balances_nft/`, `address/${crowded}/collection/${art}/`]) {
      const { status, message } = await index.get(urlOf(path));
      expect([status, message]).toEqual([400, expect.stringMatching(/at most 8/)]);
    }
    expect((await get(`address/${crowded}/collection/${art}/token/1000/`)).items.length).toBe(1);
  });
});

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
    const idsOf = (items: Data) =>
      items.flatMap((item: Data) => (item.nft_data ?? []).map((id: Data) => `${item.contract_address} ${id.token_id}`));
    const [all, cached] = [await itemsOf("balances_v2/?nft=true"), await itemsOf("balances_v2/?nft=true&no-nft-fetch=true")];
    // The collections are listed either way; alice holds id 1, whose document was read, and id 4, whose document was refused.
    expect(cached.map((item: Data) => item.contract_address)).toEqual(all.map((item: Data) => item.contract_address));
    expect(idsOf(all)).toEqual(expect.arrayContaining([`${art} 1`, `${art} 4`]));
    expect(idsOf(cached)).toEqual([`${art} 1`]);
    expect(cached.find((item: Data) => item.contract_address === art).nft_data[0].external_data).toMatchObject({ name: "One" });
    expect(idsOf(await itemsOf("historical_balances/?nft=true&no-nft-fetch=true&block-height=11"))).toEqual(
      [1, 2, 3].map((id) => `${art} ${id}`),
    );
    expect((await itemsOf("balances_v2/?no-nft-fetch=true")).every((item: Data) => item.nft_data === null)).toBe(true);
  });
});

describe("transactions of a token", () => {
  it("are listed newest first with their logs, and omitted for a spam collection that the request excludes", async () => {
    const [item] = (await get(`tokens/${art}/nft_transactions/2/`)).items;
    expect(item).toMatchObject({
      contract_address: art,
      contract_name: "Art",
      contract_decimals: null,
      supports_erc: ["erc721"],
      is_spam: false,
    });
    expect(item.nft_transactions.map((transaction: Data) => [transaction.tx_hash, transaction.log_events.length])).toEqual([
      [transactionHashOf(12, 0), 1],
      [transactionHashOf(2, 0), 0],
    ]);
    expect((await get(`tokens/${spam}/nft_transactions/1/`)).items.length).toBe(1);
    expect((await get(`tokens/${spam}/nft_transactions/1/?no-spam=true`)).items).toEqual([]);
  });
});

describe("collections with stored metadata", () => {
  it("are listed by address with counts", async () => {
    await index.insert("nft_metadata", [
      { ...read("1", { document: "{}", asset_bytes: 7 }), token: spam },
      { ...read("1", { refusal: "no" }), token: both },
    ]);
    const { items, pagination } = await get("nft/collections/");
    expect(items).toEqual([
      {
        contract_address: art,
        contract_name: "Art",
        is_spam: false,
        token_total_supply: 5,
        cached_metadata_count: 3,
        // The second of the three has an inline image.
        cached_asset_count: 1,
        last_scraped_at: "2026-01-03T00:00:00Z",
      },
      expect.objectContaining({
        contract_address: spam,
        is_spam: true,
        token_total_supply: 1,
        cached_metadata_count: 1,
        cached_asset_count: 1,
      }),
    ]);
    expect(pagination.total_count).toBe(2);
    const withoutSpam = await get("nft/collections/?no-spam=true");
    expect([withoutSpam.items.map((item: Data) => item.contract_address), withoutSpam.pagination.total_count]).toEqual([[art], null]);
    const [first, second] = [await get("nft/collections/?page-size=1"), await get("nft/collections/?page-size=1&page-number=1")];
    expect([first, second].map((page) => [page.items[0].contract_address, page.pagination.has_more])).toEqual([
      [art, true],
      [spam, false],
    ]);
  });
});

describe("metadata that is read again later", () => {
  const now = "2026-01-03";
  const waiting = {
    chain_id,
    token: art,
    token_id: maxTokenId,
    standard: 2,
    block_number: 1,
    wanted_block: 1,
    attempts: 1,
    queued_at: now,
    run_after: now,
  };

  it("reports why the last attempt failed", async () => {
    await index.insert("nft_reads", [{ ...waiting, url: "https://slow.example/5", problem: "It took too long." }]);
    const returned = { token_id: maxTokenId, token_url: "https://slow.example/5", external_data: null, asset_cached: false };
    const refusal = "Tried again later: It took too long.";
    expect((await get(`nft/${art}/metadata/${maxTokenId}/`)).items[0].nft_data).toMatchObject({ ...returned, metadata_refusal: refusal });
    await index.database.query("UPDATE nft_reads SET problem = NULL");
    expect((await get(`nft/${art}/metadata/${maxTokenId}/`)).items[0].nft_data).toMatchObject({
      ...returned,
      token_url: null,
      metadata_refusal: null,
    });
    await index.database.query("DELETE FROM nft_reads");
  });
});

describe("a chain whose metadata is not cached", () => {
  it("warns in the response and in a header that with-uncached is needed, unless the request sets it", async () => {
    const other = await openFixtureIndex({ metadata: "uncached" });
    await fill(other);
    await other.database.query("DELETE FROM nft_metadata");
    for (const path of [`nft/${art}/metadata/1/`, `nft/${art}/metadata/`]) {
      const plain = await other.get(urlOf(path));
      expect(plain.data.warning).toMatch(/with-uncached=true/);
      expect(plain.headers["x-warning"]).toBe(plain.data.warning);
      expect(plain.data.items[0].nft_data).toMatchObject({
        token_url: null,
        external_data: null,
        asset_cached: false,
        current_owner: alice,
      });
      for (const query of ["?with-uncached=true", "?no-metadata=true"]) {
        const optedOut = await other.get(urlOf(`${path}${query}`));
        expect([optedOut.data.warning, optedOut.headers["x-warning"]]).toEqual([null, undefined]);
      }
    }
    const cachedResponse = await index.get(urlOf(`nft/${art}/metadata/1/`));
    expect([cachedResponse.data.warning, cachedResponse.headers["x-warning"]]).toEqual([null, undefined]);
    await other.end();
  });
});
