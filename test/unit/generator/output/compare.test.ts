import { describe, expect, it } from "vitest";
import { compareFiles, renderDifference } from "../../../../generator/output/compare.ts";

const differences = (expected: Readonly<Record<string, string>>, found: Readonly<Record<string, string>>): string[] =>
  compareFiles(new Map(Object.entries(expected)), new Map(Object.entries(found))).map(renderDifference);

describe("compareFiles", () => {
  it("returns nothing for equal files", () => {
    expect(differences({ a: "1\n", b: "2\n" }, { b: "2\n", a: "1\n" })).toEqual([]);
  });

  it("returns the first line that differs in each file", () => {
    expect(differences({ a: "one\ntwo\nthree\n", b: "x\n" }, { a: "one\n2\n3\n", b: "y\n" })).toEqual([
      'a:2: expected "two", found "2"',
      'b:1: expected "x", found "y"',
    ]);
  });

  it("reports a file that is too short or too long", () => {
    expect(differences({ a: "one\ntwo" }, { a: "one" })).toEqual(['a:2: expected "two", found the end of the file']);
    expect(differences({ a: "one" }, { a: "one\ntwo" })).toEqual(['a:2: expected the end of the file, found "two"']);
  });

  it("reports missing and extra files", () => {
    expect(differences({ a: "", c: "" }, { a: "", b: "" })).toEqual(["b: not generated from this catalog", "c: missing"]);
  });

  it("shows the differing part of a long line", () => {
    const [difference = ""] = differences(
      { a: `${"-".repeat(5000)}new${"=".repeat(5000)}` },
      { a: `${"-".repeat(5000)}old${"=".repeat(5000)}` },
    );
    expect(difference).toMatch(/^a:1: expected "…-+new=+…", found "…-+old=+…"$/);
    expect(difference.length).toBeLessThan(500);
  });
});
