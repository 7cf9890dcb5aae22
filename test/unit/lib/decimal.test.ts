import { describe, expect, it } from "vitest";
import {
  add,
  compare,
  cut,
  decimal,
  decimalOf,
  divide,
  multiply,
  rounded,
  shift,
  squareRoot,
  toNumber,
  toText,
  wholeHundredths,
} from "../../../runtime/lib/decimal.ts";

const largest = 2n ** 256n - 1n;
const text = (number: Parameters<typeof toText>[0]) => toText(number);
const of = decimalOf;

describe("an exact decimal", () => {
  it("is parsed from the text of the database, and formatted back to it", () => {
    for (const written of ["0", "7", "-7", "0.5", "-0.05", "12345678901234567890.000000000000000001", largest.toString()]) {
      expect(text(of(written))).toBe(written);
    }
    expect(of("-12.340")).toEqual({ digits: -12_340n, scale: 3 });
  });

  it("rejects other text", () => {
    for (const other of ["", "-", ".5", "5.", "1e3", "NaN", "Infinity", " 1", "+1", "0x10", "1,000", "--1", "1.2.3"]) {
      expect(() => of(other), other).toThrow(RangeError);
    }
  });

  it("is formatted with all of its digits, without an exponent", () => {
    expect(text(decimal(1n, 36))).toBe(`0.${"0".repeat(35)}1`);
    expect(text(decimal(-1n, 1))).toBe("-0.1");
    expect(text(decimal(15n, -3))).toBe("15000");
    expect(text(decimal(0n, 2))).toBe("0.00");
  });

  it("is multiplied and added without loss, whatever the decimals of a token", () => {
    // The largest amount of a token of 0, 18 and 36 decimals, at 0.1 per whole token.
    for (const decimals of [0, 18, 36]) {
      const rate = shift(of("0.1"), -decimals);
      expect(multiply(decimal(largest), rate)).toEqual({ digits: largest, scale: decimals + 1 });
    }
    expect(text(add(of("0.1"), of("0.02")))).toBe("0.12");
    expect(text(add(of(largest.toString()), decimal(1n, 36)))).toBe(`${largest}.${"0".repeat(35)}1`);
    expect(text(add(of("1.5"), of("-2")))).toBe("-0.5");
    expect(text(multiply(of("-1.5"), of("0.2")))).toBe("-0.30");
  });

  it("is compared by value, not by its text", () => {
    expect(compare(of("1.50"), of("1.5"))).toBe(0);
    expect(compare(of("-1"), of("0.001"))).toBeLessThan(0);
    expect(compare(of("10"), of("9.999"))).toBeGreaterThan(0);
  });

  it("is scaled by powers of ten", () => {
    expect(text(shift(of("0.000001"), 6))).toBe("1");
    expect(text(shift(of("3"), -2))).toBe("0.03");
    expect(text(shift(of("3"), 2))).toBe("300");
  });
});

describe("a quotient", () => {
  it("has 40 significant digits, truncated and not rounded", () => {
    expect(text(divide(of("2"), of("3")))).toBe(`0.${"6".repeat(40)}`);
    expect(text(divide(of("-2"), of("3")))).toBe(`-0.${"6".repeat(40)}`);
    expect(text(divide(of("200"), of("3")))).toBe(`66.${"6".repeat(38)}`);
    // 1 / 7 = 0.142857…, six repeating digits, so 40 of them end with 1428.
    expect(text(divide(of("1"), of("7")))).toBe(`0.${"142857".repeat(6)}1428`);
    expect(text(divide(of("2"), of("3000000")))).toBe(`0.000000${"6".repeat(40)}`);
  });

  it("that is finite has no trailing zeros", () => {
    expect(text(divide(of("2000"), of("1.6")))).toBe("1250");
    expect(divide(of("1"), of("8"))).toEqual({ digits: 125n, scale: 3 });
    expect(text(divide(of("0"), of("8")))).toBe("0");
  });

  it("of the largest amounts has their first 40 digits", () => {
    const digits = largest.toString();
    expect(text(divide(decimal(largest), of("1")))).toBe(`${digits.slice(0, 40)}${"0".repeat(digits.length - 40)}`);
    expect(text(divide(decimal(largest), decimal(largest)))).toBe("1");
    // 1 / (2^256 - 1) = 8.636168555094444625386351862800399571116e-78, truncated: 77 zeros after the point precede the first digit.
    expect(text(divide(of("1"), decimal(largest)))).toBe(`0.${"0".repeat(77)}${(10n ** 117n / largest).toString()}`);
  });

  it("by zero is rejected", () => {
    expect(() => divide(of("1"), of("0"))).toThrow(RangeError);
  });
});

describe("a square root", () => {
  it("is truncated after 40 significant digits", () => {
    // The digits of √2 (OEIS A002193).
    expect(text(squareRoot(of("2")))).toBe("1.414213562373095048801688724209698078569");
    expect(text(squareRoot(of("0.02")))).toBe("0.1414213562373095048801688724209698078569");
    expect(text(squareRoot(of("200")))).toBe("14.14213562373095048801688724209698078569");
  });

  it("of a square is whole, however many decimals", () => {
    expect(text(squareRoot(of("144")))).toBe("12");
    expect(text(squareRoot(of("1.44")))).toBe("1.2");
    expect(text(squareRoot(of("0")))).toBe("0");
    expect(text(squareRoot(decimal(1n, 36)))).toBe(`0.${"0".repeat(17)}1`);
    // (2^128)² = 2^256, whose root has 39 digits.
    expect(text(squareRoot(decimal(2n ** 256n)))).toBe((2n ** 128n).toString());
  });

  it("of a negative number is rejected", () => {
    expect(() => squareRoot(of("-1"))).toThrow(RangeError);
  });
});

describe("conversions of results", () => {
  it("truncate to 40 significant digits", () => {
    expect(text(cut(of(`${"1".repeat(40)}9`)))).toBe(`${"1".repeat(40)}0`);
    expect(text(cut(of(`-0.${"9".repeat(41)}`)))).toBe(`-0.${"9".repeat(40)}`);
    expect(cut(of("100.00"))).toEqual({ digits: 1n, scale: -2 });
    expect(cut(of("0.000"))).toEqual({ digits: 0n, scale: 0 });
  });

  it("round to a number of significant digits, half away from zero", () => {
    expect(["1234.5", "1235.4", "-1234.5", "0.99996", "99", "0"].map((number) => text(rounded(of(number), 4)))).toEqual([
      "1235",
      "1235",
      "-1235",
      "1.0000",
      "99",
      "0",
    ]);
  });

  it("return the nearest floating-point number", () => {
    expect(toNumber(of("0.1"))).toBe(0.1);
    expect(toNumber(of("-2999.985"))).toBe(-2999.985);
    expect(toNumber(decimal(1n, 36))).toBe(1e-36);
    expect(toNumber(decimal(largest))).toBe(2 ** 256);
    expect(toNumber(of("9007199254740993"))).toBe(9007199254740992);
  });

  it("count whole hundredths, truncated towards zero", () => {
    expect(["0.019", "-0.019", "1.5", "7", "0.009"].map((number) => wholeHundredths(of(number)))).toEqual([1n, -1n, 150n, 700n, 0n]);
    expect(wholeHundredths(decimal(3n, -2))).toBe(30_000n);
  });
});
