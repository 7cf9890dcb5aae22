import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { zeroAddress } from "../../../../../runtime/lib/hex.ts";
import { parseCsv } from "../../../../support/csv.ts";
import { type Data, openFixtureIndex, timeOf, transactionHashOf } from "../../queries/fixture-index.ts";
import {
  alice,
  art,
  bob,
  both,
  fill,
  get,
  head,
  idsOf,
  index,
  maxTokenId,
  setUp,
  sizeRow,
  spam,
  tearDown,
  tokenRow,
  traitRow,
  urlOf,
} from "./collections.ts";

beforeAll(setUp);
afterAll(tearDown);

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
    await other.insertBlocks(head + 1, head + 1);
    await other.insert("nft_tokens", [tokenRow(art, "0", head + 1)]);
    await other.insert("nft_collection_sizes", [sizeRow(art, head + 1, 6)]);
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
      `NFT collections are being rebuilt: no block up to ${head} is included yet. Retry later.`,
    );
    await other.end();
  });

  it("have the zero address as owner if they are burned, and null if they are ERC-1155 ids", async () => {
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
    await index.insert("nft_attributes", [traitRow("4", 0, "Long", "\u{1f33a}".repeat(256))]);
    const { items } = await get(`nft/${art}/metadata/?values-filter=${encodeURIComponent(long)}`);
    expect(idsOf(items)).toEqual(["4"]);
  });

  it("are returned as CSV with the pagination in headers", async () => {
    const { text, headers } = await index.get(urlOf(`nft/${art}/metadata/?page-size=2&format=csv`));
    const rows = parseCsv(text);
    expect([rows.length, headers["x-total-count"], headers["x-has-more"]]).toEqual([3, "5", "true"]);
    const description = rows[0]?.indexOf("nft_data.external_data.description") ?? -1;
    // Without the apostrophe, a spreadsheet would evaluate the text as a formula.
    expect(rows[1]?.[description]).toBe("'=1+1");
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
