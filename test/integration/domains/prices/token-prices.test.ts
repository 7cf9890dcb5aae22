import { beforeAll, describe, expect, it } from "vitest";
import { addressOf, type Data, type FixtureIndex } from "../queries/fixture-index.ts";
import {
  coin,
  collection,
  manyDecimals,
  native,
  openQuotedIndex,
  unindexed,
  unknownDecimals,
  unpriced,
  zeroDecimals,
} from "./quoted-index.ts";

/** An index whose responses have up to 100 rows. */
let index: FixtureIndex;
const unknownAddress = addressOf(0x99);
const request = (addresses: readonly string[], query = "", currency = "USD") =>
  index.get(`/v1/pricing/historical_by_addresses_v2/fixture/${currency}/${addresses.join(",")}/${query}`);
const fullRange = "?from=2026-01-01&to=2026-01-03";
const pricesOf = (item: Data) => item.prices.map(({ date, price }: Data) => [date.slice(0, 10), price]);

beforeAll(async () => {
  index = await openQuotedIndex();
  return index.end;
});

describe("daily prices", () => {
  it("are a token's closing prices, newest first, with the current price for the current day", async () => {
    const { status, data, credits } = await request([native], fullRange);
    expect(status).toBe(200);
    expect(credits).toBe("1");
    const metadata = { contract_decimals: 18, contract_address: native, supports_erc: null };
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ ...metadata, update_at: "2026-01-03T18:30:00Z", quote_currency: "USD" });
    expect(data[0].prices).toEqual([
      { contract_metadata: expect.objectContaining(metadata), date: "2026-01-03T00:00:00Z", price: 1999.99, pretty_price: "$1,999.99" },
      { contract_metadata: expect.objectContaining(metadata), date: "2026-01-02T00:00:00Z", price: 2222, pretty_price: "$2,222.00" },
      { contract_metadata: expect.objectContaining(metadata), date: "2026-01-01T00:00:00Z", price: 2000, pretty_price: "$2,000.00" },
    ]);
    expect(data[0].items).toEqual(data[0].prices);
  });

  it("are sorted oldest first on request", async () => {
    const { data } = await request([native], `${fullRange}&prices-at-asc=true`);
    expect(pricesOf(data[0])).toEqual([
      ["2026-01-01", 2000],
      ["2026-01-02", 2222],
      ["2026-01-03", 1999.99],
    ]);
  });

  it("are returned for several tokens in the requested order, for the credits of one call", async () => {
    const { data, credits } = await request([zeroDecimals, native, coin, manyDecimals], fullRange);
    expect(credits).toBe("1");
    expect(data.map((item: Data) => [item.contract_address, item.prices.map(({ price }: Data) => price)])).toEqual([
      [zeroDecimals, [12.5, 12.5, 12.5]],
      [native, [1999.99, 2222, 2000]],
      // The price is no longer known.
      [coin, [null, 1.5, 1.25]],
      [manyDecimals, [0.5, 0.5, 0.5]],
    ]);
  });

  it("are null for a token without prices or known decimals", async () => {
    for (const token of [unpriced, unknownDecimals]) {
      const { status, data } = await request([token], fullRange);
      expect(status).toBe(200);
      expect(pricesOf(data[0])).toEqual([
        ["2026-01-03", null],
        ["2026-01-02", null],
        ["2026-01-01", null],
      ]);
      expect(data[0].prices[0].pretty_price).toBeNull();
    }
  });

  it("are converted to another currency at each day's rate, and null without one", async () => {
    // 1999.99 / 1.25, 2222 / 1.25, 2000 / 1.6
    const euros = (await request([native], fullRange, "eur")).data[0];
    expect(euros.quote_currency).toBe("EUR");
    expect(euros.prices.map(({ price, pretty_price }: Data) => [price, pretty_price])).toEqual([
      [1599.992, "€1,599.99"],
      [1777.6, "€1,777.60"],
      [1250, "€1,250.00"],
    ]);
    const unquoted = (await request([native], fullRange, "CAD")).data[0];
    expect(unquoted.prices.map(({ price }: Data) => price)).toEqual([null, null, null]);
  });

  it("cover the latest day, all days up to it, or one day, depending on the dates", async () => {
    const daysOf = async (query: string) => pricesOf((await request([native], query)).data[0]).map(([day]: string[]) => day);
    expect(await daysOf("")).toEqual(["2026-01-03"]);
    expect(await daysOf("?from=2026-01-02")).toEqual(["2026-01-03", "2026-01-02"]);
    expect(await daysOf("?to=2026-01-01")).toEqual(["2026-01-01"]);
  });

  it("continue from the last known price, even before the first block and for tokens that are not indexed", async () => {
    // The token has one price, of 2025-06-30; its decimals are unknown.
    const { status, data } = await request([unindexed], "?from=2025-06-29&to=2025-07-01");
    expect(status).toBe(200);
    expect(data[0]).toMatchObject({ contract_decimals: null, supports_erc: null });
    expect(data[0].prices).toHaveLength(3);
    await index.insert("token_metadata", [{ chain_id: 7, address: unindexed, block_number: 0, decimals: 18, read_at_block: 0 }]);
    expect(pricesOf((await request([unindexed], "?from=2025-06-29&to=2025-07-01")).data[0])).toEqual([
      ["2025-07-01", 7],
      ["2025-06-30", 7],
      ["2025-06-29", null],
    ]);
  });

  it("return 404 for a single unknown address, and null for one among others", async () => {
    const alone = await request([unknownAddress]);
    expect(alone.status).toBe(404);
    expect(alone.message).toContain(unknownAddress);
    const { status, data } = await request([unknownAddress, collection, native]);
    expect(status).toBe(200);
    expect(data.map((item: Data) => [item.contract_address, item.supports_erc, item.prices[0].price])).toEqual([
      [unknownAddress, null, null],
      [collection, ["erc721"], null],
      [native, null, 1999.99],
    ]);
  });

  it("are refused for future days and for more rows than the limit", async () => {
    expect(await request([native], "?to=2026-01-04")).toMatchObject({
      status: 400,
      message: "Invalid value 2026-01-04 for to: expected a day no later than 2026-01-03.",
    });
    expect(await request([native], "?from=2026-01-04")).toMatchObject({ status: 400, message: expect.stringContaining("from") });
    expect((await request([native], "?from=2026-01-02&to=2026-01-01")).status).toBe(400);
    // 100 rows are 50 days of two tokens: 2025-11-15 to 2026-01-03, both included.
    expect((await request([native, coin], "?from=2025-11-15")).status).toBe(200);
    expect(await request([native, coin], "?from=2025-11-14")).toMatchObject({
      status: 400,
      message: expect.stringContaining("at most 50 days for 2 tokens"),
    });
    expect((await request([native], "?from=0001-01-01")).status).toBe(400);
  });

  it("are returned as CSV rows, each with its token's fields", async () => {
    const { text } = await request([zeroDecimals, native], `${fullRange}&format=csv`);
    const [head, ...rows] = text.trimEnd().split(/\r?\n/);
    const columns = head?.split(",") ?? [];
    const [address, date, price] = ["contract_address", "date", "price"].map((name) => columns.indexOf(name));
    expect([address, date, price]).not.toContain(-1);
    // The cells before the price contain no comma.
    const cells = rows.map((row) => row.split(","));
    expect(cells.map((row) => [row[address ?? -1], row[date ?? -1]?.slice(0, 10), row[price ?? -1]])).toEqual([
      [zeroDecimals, "2026-01-03", "12.5"],
      [zeroDecimals, "2026-01-02", "12.5"],
      [zeroDecimals, "2026-01-01", "12.5"],
      [native, "2026-01-03", "1999.99"],
      [native, "2026-01-02", "2222"],
      [native, "2026-01-01", "2000"],
    ]);
  });
});
