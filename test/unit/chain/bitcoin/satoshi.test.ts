import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import { parseExactJson } from "../../../../runtime/chain/bitcoin/quote-decimals.ts";
import { satoshiOf } from "../../../../runtime/chain/bitcoin/satoshi.ts";

/** The amount of a JSON number. */
const amountOf = (number: string): bigint | undefined => satoshiOf((parseExactJson(`{"value": ${number}}`) as { value: unknown }).value);

describe("an amount", () => {
  it.each([
    ["0", 0n],
    ["0.00000000", 0n],
    ["0.00000001", 1n],
    ["0.1", 10_000_000n],
    ["0.30000000", 30_000_000n],
    ["50", 5_000_000_000n],
    ["50.00000000", 5_000_000_000n],
    ["1e-8", 1n],
    ["1E-8", 1n],
    ["1.5e-7", 15n],
    ["5e1", 5_000_000_000n],
    ["2.1e+7", 2_100_000_000_000_000n],
    ["20999999.97690000", 2_099_999_997_690_000n],
    ["21000000", 2_100_000_000_000_000n],
  ])("is exact: %s", (number, satoshi) => {
    expect(amountOf(number)).toBe(satoshi);
  });

  it.each([
    "0.30000000000000004",
    "0.100000000",
    "1e-9",
    "1.23456789e-1",
    "-0.1",
    "-1",
    "21000000.00000001",
    "1e300",
    "1e999999999",
    "9007199254740993",
    "null",
    "true",
    '"0x10"',
    '""',
    '" 1"',
    '"1,5"',
    '"NaN"',
    "[]",
    "{}",
  ])("is refused: %s", (number) => {
    expect(amountOf(number)).toBeUndefined();
  });

  it("is exact for random amounts as nodes format them", () => {
    const random = createRandom("amounts");
    for (let count = 0; count < 2_000; count += 1) {
      const satoshi = BigInt(random.between(0, 2_100_000_000)) * BigInt(random.between(1, 1_000_000));
      const digits = String(satoshi).padStart(9, "0");
      expect(amountOf(`${digits.slice(0, -8)}.${digits.slice(-8)}`)).toBe(satoshi);
    }
  });
});

describe("exact JSON", () => {
  it("keeps integers, texts and structure, and returns the text of every other number", () => {
    const text = '{"a":[1,-2,0.5,1e3,12345678901234567890],"b":"1.5 \\"2.5\\" \\\\","c":{"d":null,"e":true,"f":false},"g":"","h\\\\":1.0}';
    expect(parseExactJson(text)).toEqual({
      a: [1, -2, "0.5", "1e3", "12345678901234567890"],
      b: '1.5 "2.5" \\',
      c: { d: null, e: true, f: false },
      g: "",
      "h\\": "1.0",
    });
  });

  it.each(["", "{", '{"a":01.5}', '{"a":.5}', '{"a":1.}', '"a', '"a\\', '{"a":1.5e}', "1.5.5", "[1.5"])(
    "rejects invalid JSON: %s",
    (text) => {
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
    },
  );

  it("takes linear time for megabytes of text", () => {
    const long = "ab".repeat(4_000_000);
    expect(parseExactJson(`{"hex":"${long}","value":0.5,"backslashes":"${"\\\\".repeat(500_000)}"}`)).toMatchObject({
      hex: long,
      value: "0.5",
    });
  });
});
