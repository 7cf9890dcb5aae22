import { describe, expect, it } from "vitest";
import { memoizeText } from "../../../runtime/lib/memoize-text.ts";

describe("a memoized function", () => {
  const counted = (maxTexts: number) => {
    const computed: string[] = [];
    const of = memoizeText((text) => {
      computed.push(text);
      return text === "" ? null : text.length;
    }, maxTexts);
    return { of, computed };
  };

  it("computes each text once, also if the result is null", () => {
    const { of, computed } = counted(10);
    expect([of("ab"), of(""), of("ab"), of("")]).toEqual([2, null, 2, null]);
    expect(computed).toEqual(["ab", ""]);
  });

  it("caches the most recent texts up to its limit, and no long ones", () => {
    const { of, computed } = counted(2);
    for (const text of ["a", "b", "a", "c", "a", "b"]) of(text);
    expect(computed).toEqual(["a", "b", "c", "b"]);
    const long = "x".repeat(1_001);
    expect([of(long), of(long)]).toEqual([1_001, 1_001]);
    expect(computed.slice(4)).toEqual([long, long]);
  });
});
