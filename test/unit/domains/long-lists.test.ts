import { describe, expect, it } from "vitest";
import { createLabelQueries } from "../../../runtime/domains/names/labels.ts";
import type { PriceLookup } from "../../../runtime/domains/prices/queries/price.ts";
import { ratesByTime } from "../../../runtime/domains/prices/queries/rates-by-time.ts";
import { decimal } from "../../../runtime/lib/decimal.ts";
import type { Address } from "../../../runtime/lib/hex.ts";
import { countIterations } from "../lib/count-iterations.ts";

const addressOf = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`;
const count = 200_000;
const addresses = Array.from({ length: count }, (_, number) => addressOf(number));

describe("labels for 200,000 addresses", () => {
  it("are looked up in turns, to let other work run", async () => {
    const names = {
      namesOf: async (_chainId: number, requested: Iterable<Address>) => new Map([...requested].slice(0, 1).map((key) => [key, "a.eth"])),
    };
    const { labels } = createLabelQueries(names, new Map([[1, new Map([[addressOf(1), "One"]])]]));
    let found: ReadonlyMap<string, string> = new Map();
    const iterations = await countIterations(async () => {
      found = await labels(1, addresses);
    });
    expect([...found].toSorted()).toEqual([
      [addressOf(0), "a.eth"],
      [addressOf(1), "One"],
    ]);
    expect(iterations).toBeGreaterThanOrEqual(4);
  });
});

describe("rates at the times of 200,000 rows", () => {
  it("are looked up once per token and hour, in turns, to let other work run", async () => {
    const requested: PriceLookup[] = [];
    const prices = {
      ratesAtTimes: async (_chainId: number, _currency: string, lookups: readonly PriceLookup[]) => {
        requested.push(...lookups);
        return lookups.map(({ asset, time }) => decimal(BigInt(asset) * 1_000n + BigInt(Math.floor(time / 3600))));
      },
    };
    // Rows of two tokens, one per second: row n has token n % 2 and hour n / 3600.
    const rows = Array.from({ length: count }, (_, time) => ({ asset: addressOf(time % 2), time }));
    let rateAt: Awaited<ReturnType<typeof ratesByTime>> = () => null;
    const iterations = await countIterations(async () => {
      rateAt = await ratesByTime(prices, 1, "USD", rows);
    });
    // 200,000 / 3,600 is 55.6: 56 hours.
    expect(requested).toHaveLength(2 * 56);
    expect(rateAt(addressOf(1), 7_201)).toEqual(decimal(1_002n));
    expect(rateAt(addressOf(0), 3_599)).toEqual(decimal(0n));
    expect(rateAt(addressOf(2), 0)).toBeNull();
    expect(iterations).toBeGreaterThanOrEqual(2);
  });
});
