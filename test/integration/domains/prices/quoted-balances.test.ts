import { beforeAll, describe, expect, it } from "vitest";
import type { Data, FixtureIndex } from "../queries/fixture-index.ts";
import {
  coin,
  collection,
  hybrid,
  manyDecimals,
  native,
  nineCents,
  openQuotedIndex,
  other,
  tenCents,
  unknownDecimals,
  unpriced,
  wallet,
  zeroDecimals,
} from "./quoted-index.ts";

let index: FixtureIndex;
const dataOf = async (path: string): Promise<Data> => {
  const { status, data, message } = await index.get(`/v1/fixture/${path}`);
  if (status !== 200) throw new Error(`${path}: ${status} ${message}`);
  return data;
};
const itemsOf = async (path: string): Promise<ReadonlyMap<string, Data>> =>
  new Map((await dataOf(`address/${wallet}/${path}`)).items.map((item: Data) => [item.contract_address, item]));
const quotesOf = (item: Data) => [item.quote_rate, item.quote, item.pretty_quote];
const earlierOf = (item: Data) => [item.quote_rate_24h, item.quote_24h, item.pretty_quote_24h];
const unknownQuotes = [null, null, null];

beforeAll(async () => {
  index = await openQuotedIndex();
  return index.end;
});

describe("current balances", () => {
  it("have quotes of balance times price, exact and formatted", async () => {
    const items = await itemsOf("balances_v2/");
    // 1.5 at 1999.99.
    expect(quotesOf(items.get(native))).toEqual([1999.99, 2999.985, "$2,999.98"]);
    // 3 at 12.5, with no decimals; 3 at 0.5, with 36 decimals.
    expect(quotesOf(items.get(zeroDecimals))).toEqual([12.5, 37.5, "$37.50"]);
    expect(quotesOf(items.get(manyDecimals))).toEqual([0.5, 1.5, "$1.50"]);
  });

  it("have a quote but no rate if the decimals are unknown", async () => {
    // 123,456 smallest units at 0.001.
    expect(quotesOf((await itemsOf("balances_v2/")).get(unknownDecimals))).toEqual([null, 123.456, "$123.45"]);
  });

  it("have no quote for a collection, or if the price is unknown or no longer known", async () => {
    const items = await itemsOf("balances_v2/");
    for (const token of [unpriced, coin, collection]) expect(quotesOf(items.get(token)), token).toEqual(unknownQuotes);
    for (const token of [unpriced, collection]) expect(earlierOf(items.get(token)), token).toEqual(unknownQuotes);
  });

  it("have a quote only for the fungible part of a contract that is both ERC-20 and ERC-721", async () => {
    const items = (await dataOf(`address/${wallet}/balances_v2/`)).items.filter((item: Data) => item.contract_address === hybrid);
    // 25 smallest units, 10 per whole token, at 3.
    expect(items.map((item: Data) => [item.balance, item.type, ...quotesOf(item), ...earlierOf(item)])).toEqual([
      ["25", "cryptocurrency", 3, 7.5, "$7.50", 3, 7.5, "$7.50"],
      ["4", "nft", ...unknownQuotes, ...unknownQuotes],
    ]);
  });

  it("have a rate but no quote if the balance is unknown", async () => {
    const nativeItem = async () => (await dataOf(`address/${other}/balances_v2/`)).items[0];
    await index.database.query("UPDATE chains SET missing = ARRAY['native-balances']", []);
    expect(await nativeItem()).toMatchObject({ native_token: true, balance: null, quote_rate: 1999.99, quote: null, pretty_quote: null });
    await index.database.query("UPDATE chains SET missing = '{}'", []);
    expect((await nativeItem()).native_token).toBe(false);
  });

  it("include the balance 24 hours ago, valued at the price at that time", async () => {
    const items = await itemsOf("balances_v2/");
    // After block 7 the balance was 2.5, at the close of the hour from 18:00 to 19:00: 2100.5. The coin balance was 10, at 1.5.
    expect(items.get(native)).toMatchObject({ balance_24h: "2500000000000000000" });
    expect(earlierOf(items.get(native))).toEqual([2100.5, 5251.25, "$5,251.25"]);
    expect(earlierOf(items.get(coin))).toEqual([1.5, 15, "$15.00"]);
  });

  it("are classified as dust below 0.10 dollars in any quote currency", async () => {
    for (const currency of ["USD", "EUR", "JPY", "CAD"]) {
      const items = await itemsOf(`balances_v2/?quote-currency=${currency}`);
      // 0.099 dollars are 15.47 yen; 0.1 dollars are 0.08 euros.
      expect([nineCents, tenCents, unpriced, collection].map((token) => items.get(token).type)).toEqual([
        "dust",
        "cryptocurrency",
        "cryptocurrency",
        "nft",
      ]);
    }
  });

  it("are converted to another currency at its rate at the same time", async () => {
    const items = await itemsOf("balances_v2/?quote-currency=eur");
    // A euro is 1.25 dollars, now and 24 hours ago: 1999.99 / 1.25 = 1599.992, times 1.5 = 2399.988; 2100.5 / 1.25 = 1680.4, times 2.5 = 4201.
    expect(quotesOf(items.get(native))).toEqual([1599.992, 2399.988, "€2,399.98"]);
    expect(earlierOf(items.get(native))).toEqual([1680.4, 4201, "€4,201.00"]);
    // 0.1 / 1.25
    expect(quotesOf(items.get(tenCents))).toEqual([0.8, 0.08, "€0.08"]);
  });

  it("have no quotes in a currency without a rate", async () => {
    for (const item of (await itemsOf("balances_v2/?quote-currency=CAD")).values()) {
      expect([...quotesOf(item), ...earlierOf(item)]).toEqual([...unknownQuotes, ...unknownQuotes]);
    }
  });
});

describe("a past balance", () => {
  it("is valued at the close of the requested block's hour", async () => {
    // Block 5, at 06:00 of the second day: the price changed 15 minutes later, in the same hour.
    const fifth = await itemsOf("historical_balances/?block-height=5");
    expect(quotesOf(fifth.get(native))).toEqual([2100.5, 5251.25, "$5,251.25"]);
    // Block 4, six hours earlier: the close of the first day's first hour still holds.
    const fourth = await itemsOf("historical_balances/?block-height=4");
    expect(quotesOf(fourth.get(native))).toEqual([2000, 2000, "$2,000.00"]);
    // 4 coins at 1.25.
    expect(quotesOf(fourth.get(coin))).toEqual([1.25, 5, "$5.00"]);
    expect(fourth.get(nineCents).type).toBe("dust");
  });

  it("is valued at the close of the requested day", async () => {
    const items = await itemsOf("historical_balances/?date=2026-01-02");
    // 2.5 at 2222, and 10 coins at 1.5.
    expect(quotesOf(items.get(native))).toEqual([2222, 5555, "$5,555.00"]);
    expect(quotesOf(items.get(coin))).toEqual([1.5, 15, "$15.00"]);
    expect(quotesOf(items.get(collection))).toEqual(unknownQuotes);
    // 2222 / 1.25 = 1777.6, and 2.5 of them 4444; on the previous day a euro was 1.6 dollars: 2000 / 1.6 = 1250.
    expect(quotesOf((await itemsOf("historical_balances/?date=2026-01-02&quote-currency=EUR")).get(native))).toEqual([
      1777.6,
      4444,
      "€4,444.00",
    ]);
    expect(quotesOf((await itemsOf("historical_balances/?date=2026-01-01&quote-currency=EUR")).get(native))).toEqual([
      1250,
      1250,
      "€1,250.00",
    ]);
  });

  it("is valued at the current price if neither a block nor a day is requested", async () => {
    const items = await itemsOf("historical_balances/");
    expect(quotesOf(items.get(native))).toEqual([1999.99, 2999.985, "$2,999.98"]);
    expect(quotesOf(items.get(coin))).toEqual(unknownQuotes);
  });
});

describe("the native balance of a wallet", () => {
  const quoted = async (query: string) => quotesOf((await dataOf(`address/${wallet}/balances_native/${query}`)).items[0]);

  it("is valued at the current price, or at the price at a requested block", async () => {
    expect(await quoted("")).toEqual([1999.99, 2999.985, "$2,999.98"]);
    // Block 6, at noon of the second day.
    expect(await quoted("?block-height=6")).toEqual([2100.5, 5251.25, "$5,251.25"]);
    expect(await quoted("?block-height=0&quote-currency=EUR")).toEqual([1250, 1250, "€1,250.00"]);
    expect(await quoted("?quote-currency=CAD")).toEqual(unknownQuotes);
  });

  it("has no quote for an address that is not indexed if there is no node", async () => {
    expect((await dataOf(`address/${other}/balances_native/`)).items).toMatchObject([{ balance: null, quote: null, quote_rate: 1999.99 }]);
  });
});

describe("a portfolio", () => {
  const daysOf = async (token: string, query = "") => {
    const { items } = await dataOf(`address/${wallet}/portfolio_v2/?days=3${query}`);
    const item = items.find((entry: Data) => entry.contract_address === token);
    return item.holdings.map(({ quote_rate, open, high, low, close }: Data) => [
      quote_rate,
      ...[open, high, low, close].map(({ quote }: Data) => quote),
    ]);
  };

  it("values a day's balances at the day's close, and the current day's at the current price", async () => {
    expect(await daysOf(native)).toEqual([
      // From 2.5 to 1.5 at 1999.99; from 1 to 2.5 at 2222; from nothing to 1 at 2000.
      [1999.99, 4999.975, 4999.975, 2999.985, 2999.985],
      [2222, 2222, 5555, 2222, 5555],
      [2000, 0, 2000, 0, 2000],
    ]);
    expect(await daysOf(native, "&quote-currency=EUR")).toEqual([
      // The same at 1.25, 1.25 and 1.6 dollars per euro.
      [1599.992, 3999.98, 3999.98, 2399.988, 2399.988],
      [1777.6, 1777.6, 4444, 1777.6, 4444],
      [1250, 0, 1250, 0, 1250],
    ]);
  });

  it("has no quotes on days without a price", async () => {
    expect(await daysOf(coin)).toEqual([
      [null, null, null, null, null],
      // From 4 to 10 at 1.5; from nothing to 4 at 1.25.
      [1.5, 6, 15, 6, 15],
      [1.25, 0, 5, 0, 5],
    ]);
    for (const day of await daysOf(native, "&quote-currency=CAD")) expect(day).toEqual([null, null, null, null, null]);
    for (const day of await daysOf(unpriced)) expect(day).toEqual([null, null, null, null, null]);
  });

  it("includes formatted quotes of closing balances", async () => {
    const { items } = await dataOf(`address/${wallet}/portfolio_v2/?days=1`);
    expect(items[0].holdings[0].close).toEqual({ balance: "1500000000000000000", quote: 2999.985, pretty_quote: "$2,999.98" });
  });
});
