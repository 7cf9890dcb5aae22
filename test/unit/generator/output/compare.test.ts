import { describe, expect, it } from "vitest";
import { compareFiles, renderDifference } from "../../../../generator/output/compare.ts";

const sentences = (expected: Readonly<Record<string, string>>, found: Readonly<Record<string, string>>): string[] =>
  compareFiles(new Map(Object.entries(expected)), new Map(Object.entries(found))).map(renderDifference);

describe("compare", () => {
  it("returns nothing for equal files", () => {
    expect(sentences({ a: "1\n", b: "2\n" }, { b: "2\n", a: "1\n" })).toEqual([]);
  });

  it("returns the first different line of each file", () => {
    expect(sentences({ a: "one\ntwo\nthree\n", b: "x\n" }, { a: "one\n2\n3\n", b: "y\n" })).toEqual([
      'a:2: expected "two", found "2"',
      'b:1: expected "x", found "y"',
    ]);
  });

  it("reports a file that ends early or late", () => {
    expect(sentences({ a: "one\ntwo" }, { a: "one" })).toEqual(['a:2: expected "two", found the end of the file']);
    expect(sentences({ a: "one" }, { a: "one\ntwo" })).toEqual(['a:2: expected the end of the file, found "two"']);
  });

  it("reports missing and extra files", () => {
    expect(sentences({ a: "", c: "" }, { a: "", b: "" })).toEqual(["b: not generated from this catalog", "c: missing"]);
  });

  it("shows the part of a long line that differs", () => {
    const [sentence = ""] = sentences(
      { a: `${"-".repeat(5000)}new${"=".repeat(5000)}` },
      { a: `${"-".repeat(5000)}old${"=".repeat(5000)}` },
    );
    expect(sentence).toMatch(/^a:1: expected "…-+new=+…", found "…-+old=+…"$/);
    expect(sentence.length).toBeLessThan(500);
  });
});
