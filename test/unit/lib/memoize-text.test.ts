import { describe, expect, it } from "vitest";
import { memoizeText } from "../../../runtime/lib/memoize-text.ts";

describe("a memoized function", () => {
  const createLengthOf = (maxTexts: number) => {
    const computed: string[] = [];
    const lengthOf = memoizeText((text) => {
      computed.push(text);
      return text === "" ? null : text.length;
    }, maxTexts);
    return { lengthOf, computed };
  };

  it("computes each text once, even if the result is null", () => {
    const { lengthOf, computed } = createLengthOf(10);
    expect([lengthOf("ab"), lengthOf(""), lengthOf("ab"), lengthOf("")]).toEqual([2, null, 2, null]);
    expect(computed).toEqual(["ab", ""]);
  });

  it("caches the most recent texts up to its limit, and never texts above 1,000 characters", () => {
    const { lengthOf, computed } = createLengthOf(2);
    for (const text of ["a", "b", "a", "c", "a", "b"]) lengthOf(text);
    expect(computed).toEqual(["a", "b", "c", "b"]);
    const long = "x".repeat(1_001);
    expect([lengthOf(long), lengthOf(long)]).toEqual([1_001, 1_001]);
    expect(computed.slice(4)).toEqual([long, long]);
  });
});
