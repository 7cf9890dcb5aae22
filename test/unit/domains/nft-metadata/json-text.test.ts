import { describe, expect, it } from "vitest";
import {
  type JsonValue,
  parseJsonText,
  plainNumber,
  renderJson,
} from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/json-text.ts";
import { scaleTimeLimit } from "../../../support/scale-time-limit.ts";

/** Returns the value as JSON.parse does; the texts contain no number that JSON.parse rounds. */
const plain = (value: JsonValue): unknown => JSON.parse(renderJson(value));

describe("JSON", () => {
  it.each([
    '{"a":1,"b":[true,false,null,"x"],"c":{"d":{}}}',
    " [ 1 , -2.5e-3 , 0 ] \n",
    '"\\u00e9\\ud83e\\udd8a\\n\\\\\\""',
    '"\\\\"',
    "[]",
    "{}",
    "null",
    '{"a":1,"a":2}',
    '{"constructor":1,"":2}',
  ])("is parsed as by JSON.parse: %s", (text) => {
    expect(plain(parseJsonText(text))).toEqual(JSON.parse(text));
  });

  it.each([
    "",
    "{",
    "[1,]",
    "{,}",
    '{"a"}',
    '{"a":}',
    "{a:1}",
    "01",
    "1.",
    ".5",
    "+1",
    "1e",
    "NaN",
    "tru",
    "'a'",
    '"a',
    '"\\x"',
    '"\\',
    "1 2",
    "{}x",
    "\u00a0{}",
    "//",
  ])("is rejected as by JSON.parse: %j", (text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(() => parseJsonText(text)).toThrow(SyntaxError);
  });

  it("may have line breaks and tabs in strings, because contracts emit them", () => {
    expect(parseJsonText('"one\n\ttwo\u0000"')).toBe("one\n\ttwo\u0000");
  });

  it("keeps the format of its numbers", () => {
    const numbers = ["12345678901234567890", "1e400", "-0.10", "0.1234567890123456789", "1E-7"];
    expect(renderJson(parseJsonText(`[${numbers.join(" , ")}]`))).toBe(`[${numbers.join(",")}]`);
  });

  it("has __proto__ and constructor as ordinary keys", () => {
    const value = parseJsonText('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect((value as ReadonlyMap<string, JsonValue>).get("__proto__")).toBeInstanceOf(Map);
  });

  it("is rejected if it is nested too deeply, regardless of its size", () => {
    expect(() => parseJsonText("[".repeat(1_000_000))).toThrow("more than 64 levels of nesting");
    expect(() => parseJsonText('{"a":'.repeat(200_000))).toThrow("more than 64 levels of nesting");
    expect(plain(parseJsonText(`${"[".repeat(64)}${"]".repeat(64)}`))).toBeInstanceOf(Array);
  });

  it("is parsed in linear time", () => {
    const million = 1_000_000;
    const texts = [
      `"${"\\\\".repeat(million / 2)}"`,
      `"${'\\"'.repeat(million / 2)}"`,
      " ".repeat(million),
      `"${"\n".repeat(million)}"`,
      "9".repeat(million),
      `[${"1,".repeat(million / 2)}1]`,
    ];
    const start = Date.now();
    for (const text of texts) {
      try {
        parseJsonText(text);
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
      }
    }
    expect(Date.now() - start).toBeLessThan(scaleTimeLimit(5_000));
  });
});

describe("plainNumber", () => {
  it.each([
    ["0", "0"],
    ["-0", "0"],
    ["0e9", "0"],
    ["007", "7"],
    ["1.50", "1.5"],
    ["100", "100"],
    ["1e2", "100"],
    ["1.5e1", "15"],
    ["12.5e-3", "0.0125"],
    ["-1E-7", "-0.0000001"],
    ["12345678901234567890.000", "12345678901234567890"],
    ["1e400", `1${"0".repeat(400)}`],
    ["1e-400", `0.${"0".repeat(399)}1`],
  ])("renders %s as %s", (text, digits) => {
    expect(plainNumber(text)).toBe(digits);
  });

  it.each(["", "1,000", "0x10", "1e", "--1", "Infinity", "1e1001", "1e99999999999999999999", "1".repeat(1_001)])(
    "returns null for %s",
    (text) => {
      expect(plainNumber(text)).toBeNull();
    },
  );
});
