import { describe, expect, it } from "vitest";
import type { Currency } from "../../../../generated/requests.gen.ts";
import { formatQuote, quoteOf, ratePerWholeToken, valueAtRate, viewNumber } from "../../../../runtime/api/prices/view-quotes.ts";
import { divide, parseDecimal } from "../../../../runtime/lib/decimal.ts";

const dollars = (value: string) => formatQuote(parseDecimal(value), "USD");

describe("a formatted quote", () => {
  it("has two decimals, truncated", () => {
    expect(["1", "1.5", "1.999", "0.009", "0.01", "2999.985"].map(dollars)).toEqual([
      "$1.00",
      "$1.50",
      "$1.99",
      "$0.00",
      "$0.01",
      "$2,999.98",
    ]);
  });

  it("has whole cents if the value falls short only because the rate is truncated to 40 digits", () => {
    const third = divide(parseDecimal("1"), parseDecimal("3"));
    expect(formatQuote(valueAtRate("10800", third), "USD")).toBe("$3,600.00");
    expect(formatQuote(valueAtRate("-10800", third), "USD")).toBe("-$3,600.00");
    // A value that falls short of whole cents within the 40 digits is truncated.
    expect(dollars("0.99999999999999999999")).toBe("$0.99");
  });

  it("is $0.00 for zero, and null if unknown", () => {
    expect(["0", "0.000"].map(dollars)).toEqual(["$0.00", "$0.00"]);
    expect(formatQuote(null, "USD")).toBeNull();
  });

  it("is in millions above 999,999, and in billions above 999,999,999", () => {
    expect(["999999.99", "999999.999", "1000000", "1009999.99", "1234567.89"].map(dollars)).toEqual([
      "$999,999.99",
      "$999,999.99",
      "$1.00M",
      "$1.00M",
      "$1.23M",
    ]);
    expect(["999999999.99", "1000000000", "1239999999", "1234567890123"].map(dollars)).toEqual([
      "$999.99M",
      "$1.00B",
      "$1.23B",
      "$1,234.56B",
    ]);
  });

  it("has the value's sign", () => {
    expect(["-0.019", "-1234.5", "-1000000"].map(dollars)).toEqual(["-$0.01", "-$1,234.50", "-$1.00M"]);
  });

  it.each([
    ["USD", "$"],
    ["CAD", "CA$"],
    ["EUR", "€"],
    ["SGD", "S$"],
    ["INR", "₹"],
    ["JPY", "¥"],
    ["VND", "₫"],
    ["CNY", "CN¥"],
    ["KRW", "₩"],
    ["RUB", "₽"],
    ["TRY", "₺"],
    ["NGN", "₦"],
    ["ARS", "ARS"],
    ["AUD", "A$"],
    ["CHF", "CHF"],
    ["GBP", "£"],
  ] satisfies [Currency, string][])("has the symbol of %s: %s", (currency, symbol) => {
    expect(formatQuote(parseDecimal("1234.5"), currency)).toBe(`${symbol}1,234.50`);
  });
});

describe("the quote of an amount", () => {
  it("is exact to the last digit of a uint256", () => {
    const maxUint256 = 2n ** 256n - 1n;
    expect(valueAtRate(String(maxUint256), parseDecimal("0.5"))).toEqual({ digits: maxUint256 * 5n, scale: 1 });
  });

  it("is null only if the amount or the rate is unknown", () => {
    expect(quoteOf("5", null, 18, "USD")).toEqual({ rate: null, quote: null, pretty: null });
    expect(quoteOf(null, parseDecimal("2"), 0, "USD")).toEqual({ rate: 2, quote: null, pretty: null });
    // The rate is per smallest unit, so the quote does not need the decimals.
    expect(quoteOf("5", parseDecimal("0.25"), null, "USD")).toEqual({ rate: null, quote: 1.25, pretty: "$1.25" });
    expect(quoteOf("0", parseDecimal("2"), 0, "USD")).toEqual({ rate: 2, quote: 0, pretty: "$0.00" });
  });

  it("is the balance in whole tokens times the rate, for 0 and for 36 decimals", () => {
    expect(quoteOf("3", parseDecimal("12.5"), 0, "EUR")).toEqual({ rate: 12.5, quote: 37.5, pretty: "€37.50" });
    const rate = { digits: 5n, scale: 37 };
    expect(viewNumber(ratePerWholeToken(rate, 36))).toBe(0.5);
    expect(quoteOf(`3${"0".repeat(36)}`, rate, 36, "USD")).toEqual({ rate: 0.5, quote: 1.5, pretty: "$1.50" });
  });

  it("is null if it exceeds a number's range", () => {
    // 10^54 per smallest unit, and 10^255 smallest units per whole token: 10^309.
    const rate = { digits: 10n ** 54n, scale: 0 };
    expect(quoteOf("1", rate, 255, "USD")).toEqual({ rate: null, quote: 1e54, pretty: formatQuote(rate, "USD") });
    expect(viewNumber(ratePerWholeToken({ digits: 10n ** 53n, scale: 0 }, 255))).toBe(1e308);
  });
});
