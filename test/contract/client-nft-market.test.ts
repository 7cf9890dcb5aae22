import { describe, expect, it, test } from "vitest";
import { useApp } from "../support/app.ts";
import { expectNear } from "../support/expect-near.ts";
import { feedOf, secondsPerDay, toWholeTokens } from "../support/story-exchanges.ts";
import { type StorySale, salesOfStory } from "../support/story-market.ts";
import { storyValue } from "../support/story-node.ts";
import { createCaller } from "./caller.ts";
import { chain, dataOf, useNpmClient } from "./npm-client.ts";

const app = await useApp();
const call = createCaller(app.url, app.key);
const { NftService: service } = await useNpmClient();
const { sales, today, times } = await salesOfStory();
const [ether, euro] = [await feedOf("etherFeed", times), await feedOf("euroFeed", times)];
const head = times.at(-1) ?? 0;
const collections = ["gardenCollection", "editionsCollection", "punks"] as const;

const salesOf = (name: string): StorySale[] => sales.filter(({ collection }) => collection === storyValue(name));
const dateOf = (day: number): number => day * secondsPerDay * 1000;
/** When a day is valued: at its end, or for the current day at the end of the last complete hour. */
const valuationTimeOf = (day: number): number => Math.min((day + 1) * secondsPerDay, Math.floor(head / 3600) * 3600);
const etherOf = (wei: bigint | number): number => (typeof wei === "bigint" ? toWholeTokens(wei, 18) : wei / 1e18);
const totalPriceOf = (soldItems: readonly StorySale[]): bigint => soldItems.reduce((total, { price }) => total + price, 0n);

/** A day in a response, including the fields that the client omits. */
interface Day {
  readonly date: string;
  readonly wash_sale_count?: number;
  readonly wash_volume_quote?: number;
  readonly wash_volume_native_quote?: number;
}
const daysOf = async (path: string): Promise<readonly Day[]> => {
  const { body, text } = await call(`/v1/demo/nft_market/${path}`);
  const { data } = body as { readonly data: { readonly items: readonly Day[] } | null };
  if (data === null) throw new Error(`Request nft_market/${path} failed: ${text}`);
  return data.items;
};

describe.each(collections)("the npm client's NftService for the market of %s", (name) => {
  const days = 80;
  const collectionSales = salesOf(name);
  const salesOn = (day: number): StorySale[] => collectionSales.filter((sale) => sale.day === day);
  const expectDates = (items: readonly { readonly date: Date }[], count: number): void =>
    expect(items.map(({ date }) => date.getTime())).toEqual(Array.from({ length: count }, (_, position) => dateOf(today - position)));

  test("getNftMarketSaleCount counts sales by day", async () => {
    const { items, address } = await dataOf(service.getNftMarketSaleCount(chain, storyValue(name), { days }));
    expect(address).toBe(storyValue(name));
    expectDates(items, days);
    expect(items.map(({ sale_count: count }) => count)).toEqual(items.map((_, position) => salesOn(today - position).length));
    const washDays = await daysOf(`${storyValue(name)}/sale_count/?days=${days}`);
    expect(washDays.map(({ wash_sale_count: count }) => count)).toEqual(
      washDays.map((_, position) => salesOn(today - position).filter(({ isWash }) => isWash).length),
    );
    expect(collectionSales.length).toBeGreaterThan(5);
    const { items: month } = await dataOf(service.getNftMarketSaleCount(chain, storyValue(name)));
    expect(month.map(({ sale_count: count }) => count)).toEqual(items.slice(0, 30).map(({ sale_count: count }) => count));
  });

  test("getNftMarketVolume sums sale volumes", async () => {
    const { items } = await dataOf(service.getNftMarketVolume(chain, storyValue(name), { days, quoteCurrency: "EUR" }));
    expectDates(items, days);
    const washDays = await daysOf(`${storyValue(name)}/volume/?days=${days}&quote-currency=EUR`);
    for (const [position, item] of items.entries()) {
      const day = today - position;
      const [wei, wash] = [totalPriceOf(salesOn(day)), totalPriceOf(salesOn(day).filter(({ isWash }) => isWash))];
      const rate = ether(valuationTimeOf(day)) / euro(valuationTimeOf(day));
      const label = `day ${position}`;
      expectNear(item.volume_native_quote, etherOf(wei), label);
      expectNear(washDays[position]?.wash_volume_native_quote, etherOf(wash), label);
      if (wei > 0n) expectNear(item.volume_quote, etherOf(wei) * rate, label);
      if (wash > 0n) expectNear(washDays[position]?.wash_volume_quote, etherOf(wash) * rate, label);
      expect([item.native_ticker_symbol, item.native_name]).toEqual(["ETH", "Ether"]);
      expect(item.pretty_volume_quote).toMatch(/^€[\d,]+\.\d\d$/);
      const shown = Number(item.pretty_volume_quote.slice(1).replaceAll(",", ""));
      expect(item.volume_quote - shown >= 0 && item.volume_quote - shown < 0.01, label).toBe(true);
    }
  });

  test("getNftMarketFloorPrice returns the lowest price of the last 30 days, without wash trades", async () => {
    const { items } = await dataOf(service.getNftMarketFloorPrice(chain, storyValue(name), { days }));
    expectDates(items, days);
    let floorCount = 0;
    for (const [position, item] of items.entries()) {
      const day = today - position;
      const prices = collectionSales
        .filter((sale) => !sale.isWash && sale.day <= day && sale.day > day - 30)
        .map(({ unitPrice }) => unitPrice);
      if (prices.length === 0) {
        expect([item.floor_price_native_quote, item.floor_price_quote, item.pretty_floor_price_quote]).toEqual([null, null, null]);
        continue;
      }
      floorCount += 1;
      const lowest = etherOf(Math.min(...prices));
      expectNear(item.floor_price_native_quote, lowest, `day ${position}`);
      expectNear(item.floor_price_quote, lowest * ether(valuationTimeOf(day)), `day ${position}`);
    }
    expect(floorCount).toBeGreaterThan(30);
  });
});

describe("the demo chain's market", () => {
  it("has bundles, sales of several units, and wash trades below the floor", () => {
    const garden = salesOf("gardenCollection");
    const washTraded = garden.filter(({ isWash }) => isWash);
    expect(washTraded.length).toBeGreaterThan(10);
    const regular = garden.filter(({ isWash }) => !isWash).map(({ unitPrice }) => unitPrice);
    expect(Math.min(...washTraded.map(({ unitPrice }) => unitPrice))).toBeLessThan(Math.min(...regular));
    expect(garden.some(({ hash, id }) => garden.some((other) => other.hash === hash && other.id !== id))).toBe(true);
    expect(salesOf("editionsCollection").some(({ units }) => units > 1n)).toBe(true);
  });

  test("getNftsForAddress includes the current floor in a wallet's NFTs", async () => {
    const { items } = await dataOf(service.getNftsForAddress(chain, storyValue("collector")));
    const { items: floors } = await dataOf(service.getNftMarketFloorPrice(chain, storyValue("gardenCollection"), { days: 1 }));
    const item = items.find(({ contract_address: collection }) => collection === storyValue("gardenCollection"));
    expect([item?.floor_price_native_quote, item?.floor_price_quote, item?.pretty_floor_price_quote]).toEqual([
      floors[0]?.floor_price_native_quote,
      floors[0]?.floor_price_quote,
      floors[0]?.pretty_floor_price_quote,
    ]);
  });
});
