import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf } from "../../queries/fixture-index.ts";
import { alice, art, balanceRow, coin, get, index, setUp, tearDown, urlOf } from "./collections.ts";

beforeAll(setUp);
afterAll(tearDown);

describe("an invalid or oversized request", () => {
  it.each([
    `nft/${addressOf(0xdead)}/metadata/`,
    `nft/${coin}/metadata/`,
    `nft/${addressOf(0xdead)}/metadata/1/`,
    `nft/${art}/metadata/6/`,
    `tokens/${addressOf(0xdead)}/nft_transactions/1/`,
    `address/${alice}/collection/${addressOf(0xdead)}/`,
    `address/${alice}/collection/${coin}/token/1/`,
  ])("returns 404 for %s", async (path) => {
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
  ])("returns 400 for %s", async (path, pattern) => {
    const { status, message } = await index.get(urlOf(path));
    expect([status, message]).toEqual([400, expect.stringMatching(pattern)]);
  });

  it("returns 400 if the response would exceed the maximum number of rows", async () => {
    const crowded = addressOf(0xc1);
    // Nine ids exceed the limit of eight rows.
    await index.insert(
      "nft_balances",
      Array.from({ length: 9 }, (_, id) => balanceRow(crowded, art, String(1000 + id), 2, "1")),
    );
    await index.insertBalances(crowded, art, 2, { 2: "9" });
    for (const path of [`address/${crowded}/balances_nft/`, `address/${crowded}/collection/${art}/`]) {
      const { status, message } = await index.get(urlOf(path));
      expect([status, message]).toEqual([400, expect.stringMatching(/at most 8/)]);
    }
    expect((await get(`address/${crowded}/collection/${art}/token/1000/`)).items.length).toBe(1);
  });
});
