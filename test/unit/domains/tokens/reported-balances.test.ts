import { describe, expect, it } from "vitest";
import { periodsBefore } from "../../../../runtime/domains/tokens/projection/reported-balances.ts";

describe("what is known of a balance between two touches", () => {
  const cases: [string, Parameters<typeof periodsBefore>, [number, number, bigint | null][]][] = [
    ["is the old one, where the node confirms it at the end", [{ balance: 5n, since: 10 }, 5n, 20], [[10, 19, 5n]]],
    [
      "is its first block, nothing, and the node's word at the end, where they differ",
      [{ balance: 5n, since: 10 }, 7n, 20],
      [
        [10, 10, 5n],
        [11, 18, null],
        [19, 19, 7n],
      ],
    ],
    [
      "is all of two blocks, where they differ and there is nothing between",
      [{ balance: 5n, since: 10 }, 7n, 12],
      [
        [10, 10, 5n],
        [11, 11, 7n],
      ],
    ],
    [
      "is its first block alone, where the node cannot confirm it",
      [{ balance: 5n, since: 10 }, null, 20],
      [
        [10, 10, 5n],
        [11, 19, null],
      ],
    ],
    ["needs no confirmation of the block right before", [{ balance: 5n, since: 10 }, null, 11], [[10, 10, 5n]]],
    [
      "is only the end, where it was not known",
      [{ balance: null, since: 10 }, 7n, 20],
      [
        [10, 18, null],
        [19, 19, 7n],
      ],
    ],
    ["is nothing, where neither is known", [{ balance: null, since: 10 }, null, 20], [[10, 19, null]]],
    ["is nothing at all in one block", [{ balance: 5n, since: 10 }, 5n, 10], []],
  ];
  it.each(cases)("%s", (_, given, expected) => {
    expect(periodsBefore(...given).map(({ from, to, balance }) => [from, to, balance])).toEqual(expected);
  });
});
