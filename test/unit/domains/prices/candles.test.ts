import { describe, expect, it } from "vitest";
import type { Candle } from "../../../../runtime/domains/prices/engine/candles.ts";
import { createCandleBuilder, type Portion, spanEndsOf } from "../../../../runtime/domains/prices/jobs/compute-prices/candle-builder.ts";
import { parseDecimal, toText } from "../../../../runtime/lib/decimal.ts";
import { contract, token } from "./observed-model.ts";

const hour = 3_600;
const midnight = 20_000 * 24 * hour;
const firstHour = midnight / hour;
const pricesOf = (price: string | null) => new Map(price === null ? [] : [[token, parseDecimal(price)]]);
const candleOf = ({ open, high, low, close }: Candle) => [open, high, low, close].map((price) => price && toText(price));

/** A builder that receives each bucket's price from midnight on, after an initial price. */
const startBuilder = (initial: string | null = null) => {
  const builder = createCandleBuilder(pricesOf(initial), new Set(initial === null ? [] : [token]));
  let quarter = midnight;
  builder.advance(quarter);
  return {
    builder,
    /** Closes buckets with these prices; `=` is an unchanged price. */
    quarters: (...prices: (string | null)[]): void => {
      for (const price of prices) {
        builder.close(price === "=" ? null : pricesOf(price));
        quarter += 900;
        builder.advance(quarter);
      }
    },
    preview: (price: string | null) => renderPortion(builder.takeRows(pricesOf(price))),
    take: () => renderPortion(builder.takeRows(null)),
  };
};

/** Renders a portion's rows by hours and days since midnight. */
const renderPortion = ({ hours, days, firstPrices, completedHour }: Portion) => ({
  hours: hours.rows.map(({ span, candle, end }) => [
    span - firstHour,
    ...candleOf(candle),
    end === null ? "open" : (end - midnight) / hour,
  ]),
  days: days.rows.map(({ span, candle, end }) => [span - 20_000, ...candleOf(candle), end === null ? "open" : (end - midnight) / hour]),
  retracted: [hours.retracted.map(({ span }) => span - firstHour), days.retracted.map(({ span }) => span - 20_000)],
  firstPrices: firstPrices.rows.map((first) => [first.hour - firstHour, first.end === null ? "open" : (first.end - midnight) / hour]),
  retractedFirstPrices: firstPrices.retracted,
  done: completedHour === null ? null : completedHour - firstHour,
});

describe("hourly and daily prices", () => {
  it("open with the first bucket's price, close with the last one's, and contain the high and the low", () => {
    const { quarters, take } = startBuilder();
    quarters("4", "7", "2", "5");
    quarters("9", "1", "3", "3");
    const { hours, days, done } = take();
    expect(hours).toEqual([
      [0, "4", "7", "2", "5", 1],
      [1, "9", "9", "1", "3", 2],
    ]);
    expect([days, done]).toEqual([[], 1]);
  });

  it("open with the previous price if the first bucket has no change", () => {
    const { quarters, take } = startBuilder("4");
    quarters("=", "5", "=", "=");
    expect(take().hours).toEqual([[0, "4", "5", "4", "5", 1]]);
  });

  it("have no row for an hour without changes", () => {
    const { quarters, take } = startBuilder();
    quarters("4", "4", "4", "4", "=", "4", "=", "4", "4", "5", "5", "5");
    const { hours, done } = take();
    expect(hours).toEqual([
      [0, "4", "4", "4", "4", 1],
      [2, "4", "5", "4", "5", 3],
    ]);
    expect(done).toBe(2);
  });

  it("record when a price becomes unknown and known again", () => {
    const { quarters, take } = startBuilder("4");
    quarters("4", null, null, null, null, null, null, null, null, "6", "6", "5");
    expect(take().hours).toEqual([
      [0, "4", "4", "4", null, 1],
      [2, "6", "6", "5", "5", 3],
    ]);
  });

  it("record a price that stays unknown", () => {
    const { quarters, take } = startBuilder("4");
    quarters(null, "=", "=", "=");
    expect(take().hours).toEqual([[0, null, null, null, null, 1]]);
  });

  it("aggregate all hours into a day", () => {
    const { quarters, take } = startBuilder("3");
    for (let number = 0; number < 24; number += 1) quarters(String(10 + number), "=", "=", number === 12 ? "1" : "=");
    quarters("=", "=", "=", "=");
    const { days } = take();
    expect(days).toEqual([[0, "10", "33", "1", "33", 24]]);
  });

  it("end at the full hours that spanEndsOf returns", () => {
    const { quarters, builder } = startBuilder();
    quarters("4", "=", "=", "=", "=", "=", "=", "=");
    expect(spanEndsOf(builder.takeRows(null)).sort()).toEqual([midnight + hour, midnight + 2 * hour]);
  });
});

describe("the current hour", () => {
  it("is emitted as if it ended now, but only if its values have changed", () => {
    const { quarters, preview } = startBuilder("3");
    quarters("4", "6");
    expect(preview("5").hours).toEqual([[0, "4", "6", "4", "5", "open"]]);
    expect(preview("5").hours).toEqual([]);
    expect(preview("7")).toMatchObject({ hours: [[0, "4", "7", "4", "7", "open"]], days: [[0, "4", "7", "4", "7", "open"]] });
  });

  it("is overwritten with its final values when it ends", () => {
    const { quarters, preview, take } = startBuilder("3");
    quarters("4");
    preview("9");
    quarters("5", "5", "5");
    expect(take()).toMatchObject({ hours: [[0, "4", "5", "4", "5", 1]], retracted: [[], []] });
  });

  it("is deleted if a preliminary price is outdated, during the hour or at its end", () => {
    const { quarters, preview, take } = startBuilder("3");
    expect(preview("9").hours).toEqual([[0, "9", "9", "9", "9", "open"]]);
    quarters("3");
    expect(preview("3")).toMatchObject({ hours: [], retracted: [[0], [0]] });
    expect(preview("8").hours).toEqual([[0, "3", "8", "3", "8", "open"]]);
    quarters("3", "3", "3");
    expect(take()).toMatchObject({ hours: [], retracted: [[0], []] });
    expect(preview("3")).toMatchObject({ hours: [], days: [], retracted: [[], [0]] });
  });
});

describe("an asset's first price", () => {
  it("has the hour of its bucket and is emitted when the hour ends", () => {
    const { quarters, take } = startBuilder();
    quarters(null, null, null, null, null, "4");
    expect(take().firstPrices).toEqual([]);
    quarters("4", "4", "4", "4");
    expect(take().firstPrices).toEqual([[1, 2]]);
    quarters(null, null, "5", "5");
    expect(take().firstPrices).toEqual([]);
  });

  it("is emitted during its hour, and again when the hour ends", () => {
    const { quarters, preview } = startBuilder();
    quarters("4");
    expect(preview("4").firstPrices).toEqual([[0, "open"]]);
    expect(preview("5").firstPrices).toEqual([]);
    quarters("4", "4", "4");
    expect(preview("4").firstPrices).toEqual([[0, 1]]);
  });

  it("has the hour when its bucket closes, even if it was previewed earlier", () => {
    const { quarters, preview } = startBuilder();
    quarters("=", "=", "=");
    expect(preview("4").firstPrices).toEqual([[0, "open"]]);
    quarters(null);
    expect(preview("4").firstPrices).toEqual([[1, "open"]]);
    quarters("4", "4", "4", "4");
    expect(preview("4").firstPrices).toEqual([[1, 2]]);
  });

  it("is deleted if the preliminary price is outdated", () => {
    const { preview } = startBuilder();
    preview("4");
    expect(preview(null).retractedFirstPrices).toEqual([token]);
  });

  it("is not emitted for an asset that already had a price", () => {
    const { quarters, preview, builder } = startBuilder("4");
    quarters(null, "=", "=", "=");
    expect(preview("4").firstPrices).toEqual([]);
    const other = contract("99");
    expect(builder.takeRows(new Map([[other, parseDecimal("1")]])).firstPrices.rows).toEqual([
      { asset: other, hour: firstHour + 1, end: null },
    ]);
  });
});
