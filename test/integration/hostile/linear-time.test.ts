import { describe, expect, it } from "vitest";
import { type DoublingCase, findGrowth } from "./doubling.ts";
import { chainCases } from "./text-of-chains.ts";
import { documentCases } from "./text-of-documents.ts";
import { requestCases } from "./text-of-requests.ts";

const groups: readonly (readonly [string, readonly DoublingCase[]])[] = [
  ["names, symbols and logs of contracts", chainCases],
  ["metadata documents and what nodes and hosts say", documentCases],
  ["requests and answers", requestCases],
];

describe.each(groups)("the time for %s", (_, cases) => {
  it.each(cases)("at most doubles when the text doubles: $name", async (one) => {
    // Between two of them, the runner hears how far this is.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const growth = findGrowth(one);
    expect(growth === null ? "" : `${one.name} ${growth}.`).toBe("");
  });
});

describe("the measure", () => {
  const sum = (text: string, step: (index: number) => number): number => {
    let total = 0;
    for (let index = 0; index < text.length; index += step(index)) total += text.charCodeAt(index);
    return total;
  };
  const input = (size: number): string => "a".repeat(size);

  it("finds what is quadratic and names it", () => {
    const quadratic = (text: string): number => [...text].reduce((total, _, index) => total + sum(text.slice(index), () => 1), 0);
    expect(findGrowth({ name: "quadratic", size: 500, input, run: quadratic as (text: never) => unknown }, 100)).toMatch(
      /^takes \d\.\d times as long at size 1000 as at size 500/,
    );
  });

  it("accepts what is linear", () => {
    expect(findGrowth({ name: "linear", size: 50_000, input, run: (text: string) => sum(text, () => 1) })).toBeNull();
  });
});
