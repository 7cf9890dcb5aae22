import { describe, expect, it } from "vitest";
import { periodsBefore } from "../../../../runtime/domains/tokens/projection/reported-balances.ts";

describe("the periods of a balance between two touches", () => {
  const cases: [string, Parameters<typeof periodsBefore>, [number, number, bigint | null][]][] = [
    ["are the old balance if the node confirms it at the end", [{ balance: 5n, since: 10 }, 5n, 20], [[10, 19, 5n]]],
    [
      "are the first block, unknown, and the node's balance at the end if they differ",
      [{ balance: 5n, since: 10 }, 7n, 20],
      [
        [10, 10, 5n],
        [11, 18, null],
        [19, 19, 7n],
      ],
    ],
    [
      "are both of two adjacent blocks if they differ",
      [{ balance: 5n, since: 10 }, 7n, 12],
      [
        [10, 10, 5n],
        [11, 11, 7n],
      ],
    ],
    [
      "are only the first block if the node cannot confirm it",
      [{ balance: 5n, since: 10 }, null, 20],
      [
        [10, 10, 5n],
        [11, 19, null],
      ],
    ],
    ["need no confirmation for a single block", [{ balance: 5n, since: 10 }, null, 11], [[10, 10, 5n]]],
    [
      "are only the end if the old balance was unknown",
      [{ balance: null, since: 10 }, 7n, 20],
      [
        [10, 18, null],
        [19, 19, 7n],
      ],
    ],
    ["are unknown if neither is known", [{ balance: null, since: 10 }, null, 20], [[10, 19, null]]],
    ["are empty within one block", [{ balance: 5n, since: 10 }, 5n, 10], []],
  ];
  it.each(cases)("%s", (_, given, expected) => {
    expect(periodsBefore(...given).map(({ from, to, balance }) => [from, to, balance])).toEqual(expected);
  });
});
