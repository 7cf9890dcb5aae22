import { describe, expect, it } from "vitest";
import { expectNear } from "../support/expect-near.ts";
import { blockTimes, feedOf, poolsOf, reservesByTime, secondsPerDay, toWholeTokens } from "../support/story-exchanges.ts";
import { storyValue } from "../support/story-node.ts";
import { chain, dataOf, isValidDate, useNpmClient } from "./npm-client.ts";

const { PricingService: service } = await useNpmClient();
const times = await blockTimes();
const native = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

describe("the npm client's PricingService", () => {
  const [from, to] = [storyValue("swapDay"), storyValue("lastDay")];
  const starts = Array.from(
    { length: (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1 },
    (_, day) => Date.parse(from) / 1000 + day * secondsPerDay,
  );

  it("returns daily prices of several tokens, including the native one, newest first", async () => {
    const names = [native, storyValue("wrappedNative"), storyValue("usdToken"), storyValue("goldToken"), storyValue("bytes32Token")];
    const data = await dataOf(service.getTokenPrices(chain, "USD", names.join(","), { from, to }));
    expect(data.map(({ contract_address: token }) => token)).toEqual(names);
    const [ether, wrapped, dollar, gold, unpriced] = data.map(({ prices, items, update_at: at }) => {
      expect([items, isValidDate(at)]).toEqual([prices, true]);
      expect(prices.map(({ date }) => date.getTime() / 1000)).toEqual([...starts].reverse());
      return prices.map(({ price }) => price);
    });
    const feed = await feedOf("etherFeed", times);
    expect(ether).toEqual([...starts].reverse().map((start) => feed(start + secondsPerDay)));
    expect(wrapped).toEqual(ether);
    expect(new Set(dollar)).toEqual(new Set([1]));
    // Gold's deepest pool is the one with dollars. The price is the median over the last 15 minutes of the day, weighted by duration.
    const pool = (await poolsOf("demo_exchange")).find(({ pool: pair }) => pair === storyValue("goldPair"));
    const reservesAt = await reservesByTime(storyValue("goldPair"), times);
    for (const [position, start] of [...starts].reverse().entries()) {
      const [reserve0, reserve1] = reservesAt(start + secondsPerDay - 450);
      const [goldReserve, dollarReserve] = pool?.token0 === storyValue("goldToken") ? [reserve0, reserve1] : [reserve1, reserve0];
      expectNear(gold?.[position], toWholeTokens(dollarReserve, 6) / toWholeTokens(goldReserve, 18));
    }
    // The unpriced token's only pool has wash trades and is below the liquidity floor.
    expect(new Set(unpriced)).toEqual(new Set([null]));
  });

  it("returns daily prices oldest first, in euros, and as null in a currency without a rate", async () => {
    const read = async (currency: "USD" | "EUR" | "CAD", pricesAtAsc?: boolean) => {
      const options = pricesAtAsc === undefined ? { from, to } : { from, to, pricesAtAsc };
      const [token] = await dataOf(service.getTokenPrices(chain, currency, native, options));
      expect([token?.quote_currency, token?.prices.length]).toEqual([currency, starts.length]);
      return token?.prices ?? [];
    };
    const [dollars, ascending, euros, canadian] = await Promise.all([read("USD"), read("USD", true), read("EUR", true), read("CAD")]);
    expect(ascending).toEqual([...dollars].reverse());
    const feed = await feedOf("euroFeed", times);
    for (const [day, start] of starts.entries()) expectNear(euros[day]?.price, (ascending[day]?.price ?? 0) / feed(start + secondsPerDay));
    expect(canadian.every(({ price, pretty_price: pretty }) => price === null && pretty === null)).toBe(true);
  });

  it("receives an error for an address that is not a token", async () => {
    expect(await service.getTokenPrices(chain, "USD", storyValue("trader"), { from, to })).toMatchObject({
      data: null,
      error: true,
      error_code: 404,
    });
  });
});
