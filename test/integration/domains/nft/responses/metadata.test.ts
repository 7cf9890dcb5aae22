import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Data, openFixtureIndex } from "../../queries/fixture-index.ts";
import { alice, art, both, chain_id, fill, get, index, maxTokenId, nftMetadataRow, setUp, spam, tearDown, urlOf } from "./collections.ts";

beforeAll(setUp);
afterAll(tearDown);

describe("collections with stored metadata", () => {
  it("are listed by address with counts", async () => {
    await index.insert("nft_metadata", [
      { ...nftMetadataRow("1", { document: "{}", asset_bytes: 7 }), token: spam },
      { ...nftMetadataRow("1", { refusal: "no" }), token: both },
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
    const refusal = "Will be retried: It took too long.";
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
