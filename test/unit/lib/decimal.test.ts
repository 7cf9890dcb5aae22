import { describe, expect, it } from "vitest";
import {
  add,
  compare,
  decimal,
  divide,
  multiply,
  parseDecimal,
  rounded,
  shift,
  squareRoot,
  toNumber,
  toText,
  truncate,
  wholeHundredths,
} from "../../../runtime/lib/decimal.ts";

const maxUint256 = 2n ** 256n - 1n;
const text = (number: Parameters<typeof toText>[0]) => toText(number);
const parse = parseDecimal;

describe("an exact decimal", () => {
  it("is parsed from the database's text, and formatted back to it", () => {
    for (const source of ["0", "7", "-7", "0.5", "-0.05", "12345678901234567890.000000000000000001", maxUint256.toString()]) {
      expect(text(parse(source))).toBe(source);
    }
    expect(parse("-12.340")).toEqual({ digits: -12_340n, scale: 3 });
  });

  it("is not parsed from invalid text", () => {
    for (const invalid of ["", "-", ".5", "5.", "1e3", "NaN", "Infinity", " 1", "+1", "0x10", "1,000", "--1", "1.2.3"]) {
      expect(() => parse(invalid), invalid).toThrow(RangeError);
    }
  });

  it("is formatted with all of its digits, without an exponent", () => {
    expect(text(decimal(1n, 36))).toBe(`0.${"0".repeat(35)}1`);
    expect(text(decimal(-1n, 1))).toBe("-0.1");
    expect(text(decimal(15n, -3))).toBe("15000");
    expect(text(decimal(0n, 2))).toBe("0.00");
  });

  it("is multiplied and added without loss, for any number of decimals", () => {
    // The largest amount of a token with 0, 18 and 36 decimals, at 0.1 per whole token.
    for (const decimals of [0, 18, 36]) {
      const rate = shift(parse("0.1"), -decimals);
      expect(multiply(decimal(maxUint256), rate)).toEqual({ digits: maxUint256, scale: decimals + 1 });
    }
    expect(text(add(parse("0.1"), parse("0.02")))).toBe("0.12");
    expect(text(add(parse(maxUint256.toString()), decimal(1n, 36)))).toBe(`${maxUint256}.${"0".repeat(35)}1`);
    expect(text(add(parse("1.5"), parse("-2")))).toBe("-0.5");
    expect(text(multiply(parse("-1.5"), parse("0.2")))).toBe("-0.30");
  });

  it("is compared by value, not by its text", () => {
    expect(compare(parse("1.50"), parse("1.5"))).toBe(0);
    expect(compare(parse("-1"), parse("0.001"))).toBeLessThan(0);
    expect(compare(parse("10"), parse("9.999"))).toBeGreaterThan(0);
  });

  it("is scaled by powers of ten", () => {
    expect(text(shift(parse("0.000001"), 6))).toBe("1");
    expect(text(shift(parse("3"), -2))).toBe("0.03");
    expect(text(shift(parse("3"), 2))).toBe("300");
  });
});

describe("a quotient", () => {
  it("has 40 significant digits, truncated and not rounded", () => {
    expect(text(divide(parse("2"), parse("3")))).toBe(`0.${"6".repeat(40)}`);
    expect(text(divide(parse("-2"), parse("3")))).toBe(`-0.${"6".repeat(40)}`);
    expect(text(divide(parse("200"), parse("3")))).toBe(`66.${"6".repeat(38)}`);
    // 1 / 7 = 0.142857…, six repeating digits, so 40 of them end with 1428.
    expect(text(divide(parse("1"), parse("7")))).toBe(`0.${"142857".repeat(6)}1428`);
    expect(text(divide(parse("2"), parse("3000000")))).toBe(`0.000000${"6".repeat(40)}`);
  });

  it("has no trailing zeros if it is finite", () => {
    expect(text(divide(parse("2000"), parse("1.6")))).toBe("1250");
    expect(divide(parse("1"), parse("8"))).toEqual({ digits: 125n, scale: 3 });
    expect(text(divide(parse("0"), parse("8")))).toBe("0");
  });

  it("has the first 40 digits if the amounts are the largest", () => {
    const digits = maxUint256.toString();
    expect(text(divide(decimal(maxUint256), parse("1")))).toBe(`${digits.slice(0, 40)}${"0".repeat(digits.length - 40)}`);
    expect(text(divide(decimal(maxUint256), decimal(maxUint256)))).toBe("1");
    // 1 / (2^256 - 1) = 8.636168555094444625386351862800399571116e-78, truncated: 77 zeros after the point precede the first digit.
    expect(text(divide(parse("1"), decimal(maxUint256)))).toBe(`0.${"0".repeat(77)}${(10n ** 117n / maxUint256).toString()}`);
  });

  it("is rejected if the divisor is zero", () => {
    expect(() => divide(parse("1"), parse("0"))).toThrow(RangeError);
  });
});

describe("a square root", () => {
  it("is truncated after 40 significant digits", () => {
    // The digits of √2 (OEIS A002193).
    expect(text(squareRoot(parse("2")))).toBe("1.414213562373095048801688724209698078569");
    expect(text(squareRoot(parse("0.02")))).toBe("0.1414213562373095048801688724209698078569");
    expect(text(squareRoot(parse("200")))).toBe("14.14213562373095048801688724209698078569");
  });

  it("is exact for the square of a decimal", () => {
    expect(text(squareRoot(parse("144")))).toBe("12");
    expect(text(squareRoot(parse("1.44")))).toBe("1.2");
    expect(text(squareRoot(parse("0")))).toBe("0");
    expect(text(squareRoot(decimal(1n, 36)))).toBe(`0.${"0".repeat(17)}1`);
    // (2^128)² = 2^256, whose root has 39 digits.
    expect(text(squareRoot(decimal(2n ** 256n)))).toBe((2n ** 128n).toString());
  });

  it("is rejected for a negative number", () => {
    expect(() => squareRoot(parse("-1"))).toThrow(RangeError);
  });
});

describe("result conversions", () => {
  it("truncate to 40 significant digits", () => {
    expect(text(truncate(parse(`${"1".repeat(40)}9`)))).toBe(`${"1".repeat(40)}0`);
    expect(text(truncate(parse(`-0.${"9".repeat(41)}`)))).toBe(`-0.${"9".repeat(40)}`);
    expect(truncate(parse("100.00"))).toEqual({ digits: 1n, scale: -2 });
    expect(truncate(parse("0.000"))).toEqual({ digits: 0n, scale: 0 });
  });

  it("round to a number of significant digits, half away from zero", () => {
    expect(["1234.5", "1235.4", "-1234.5", "0.99996", "99", "0"].map((number) => text(rounded(parse(number), 4)))).toEqual([
      "1235",
      "1235",
      "-1235",
      "1.0000",
      "99",
      "0",
    ]);
  });

  it("return the nearest floating-point number", () => {
    expect(toNumber(parse("0.1"))).toBe(0.1);
    expect(toNumber(parse("-2999.985"))).toBe(-2999.985);
    expect(toNumber(decimal(1n, 36))).toBe(1e-36);
    expect(toNumber(decimal(maxUint256))).toBe(2 ** 256);
    expect(toNumber(parse("9007199254740993"))).toBe(9007199254740992);
  });

  it("count whole hundredths, truncated towards zero", () => {
    expect(["0.019", "-0.019", "1.5", "7", "0.009"].map((number) => wholeHundredths(parse(number)))).toEqual([1n, -1n, 150n, 700n, 0n]);
    expect(wholeHundredths(decimal(3n, -2))).toBe(30_000n);
  });
});
