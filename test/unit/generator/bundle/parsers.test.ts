import { describe, expect, it } from "vitest";
import { boundedText, listedSize, oneOf, type Parsed } from "../../../../generator/bundle/parsers.ts";

const parsers = {
  choice: (text: string, values: readonly string[]): Parsed<string> =>
    values.includes(text) ? { ok: true, value: text } : { ok: false, expected: `one of ${values.join(", ")}` },
  text: (text: string): Parsed<string> => ({ ok: true, value: text }),
  integer: (text: string): Parsed<number> => (/^\d+$/.test(text) ? { ok: true, value: Number(text) } : { ok: false, expected: "digits" }),
};

describe("bundled parsers", () => {
  it("narrow a choice to its values", () => {
    expect(oneOf(parsers, "csv", ["json", "csv"])).toEqual({ ok: true, value: "csv" });
    expect(oneOf(parsers, "xml", ["json", "csv"])).toEqual({ ok: false, expected: "one of json, csv" });
    const lenient = { choice: (text: string): Parsed<string> => ({ ok: true, value: text }) };
    expect(oneOf(lenient, "xml", ["json", "csv"])).toEqual({ ok: false, expected: "json or csv" });
  });

  it("limit the length of text", () => {
    expect(boundedText(parsers, "abc", 3)).toEqual({ ok: true, value: "abc" });
    expect(boundedText(parsers, "abcd", 3)).toEqual({ ok: false, expected: "text of at most 3 characters" });
  });

  it("accept only the listed page sizes", () => {
    expect(listedSize(parsers, "100", [100, 1000])).toEqual({ ok: true, value: 100 });
    for (const text of ["5", "x"]) expect(listedSize(parsers, text, [100, 1000])).toEqual({ ok: false, expected: "100 or 1000" });
  });
});
