import { describe, expect, it } from "vitest";
import { chainCases } from "./chain-cases.ts";
import { documentCases } from "./document-cases.ts";
import { type DoublingCase, findGrowth } from "./find-growth.ts";
import { requestCases } from "./request-cases.ts";

const groups: readonly (readonly [string, readonly DoublingCase[]])[] = [
  ["contract names, symbols and logs", chainCases],
  ["metadata documents, and responses from nodes and hosts", documentCases],
  ["requests and responses", requestCases],
];

describe.each(groups)("processing time of %s", (_, cases) => {
  it.each(cases)("grows at most linearly: $name", async (testCase) => {
    // Yields between cases so that the runner can report progress.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const growth = findGrowth(testCase);
    expect(growth === null ? "" : `${testCase.name} ${growth}.`).toBe("");
  });
});

describe("findGrowth", () => {
  const sum = (text: string, step: (index: number) => number): number => {
    let total = 0;
    for (let index = 0; index < text.length; index += step(index)) total += text.charCodeAt(index);
    return total;
  };
  const input = (size: number): string => "a".repeat(size);

  it("reports quadratic growth", () => {
    const quadratic = (text: string): number => [...text].reduce((total, _, index) => total + sum(text.slice(index), () => 1), 0);
    expect(findGrowth({ name: "quadratic", size: 500, input, run: quadratic as (text: never) => unknown }, 100)).toMatch(
      /^takes \d+\.\d times as long at size 1000 as at size 63/,
    );
  });

  it("accepts linear growth", () => {
    expect(findGrowth({ name: "linear", size: 50_000, input, run: (text: string) => sum(text, () => 1) })).toBeNull();
  });
});
