import { describe, expect, it } from "vitest";
import { periodsBefore } from "../../../../runtime/domains/tokens/projection/reported-periods.ts";

describe("the periods of a balance between two touches", () => {
  const cases: [string, Parameters<typeof periodsBefore>, [number, number, bigint | null][]][] = [
    ["are one period of the old balance if the node confirms it at the end", [{ balance: 5n, since: 10 }, 5n, 20], [[10, 19, 5n]]],
    [
      "are unknown between the first and the last block if the balances differ",
      [{ balance: 5n, since: 10 }, 7n, 20],
      [
        [10, 10, 5n],
        [11, 18, null],
        [19, 19, 7n],
      ],
    ],
    [
      "are known in both of two adjacent blocks if the balances differ",
      [{ balance: 5n, since: 10 }, 7n, 12],
      [
        [10, 10, 5n],
        [11, 11, 7n],
      ],
    ],
    [
      "are known only in the first block if the node cannot confirm the balance",
      [{ balance: 5n, since: 10 }, null, 20],
      [
        [10, 10, 5n],
        [11, 19, null],
      ],
    ],
    ["need no confirmation for a single block", [{ balance: 5n, since: 10 }, null, 11], [[10, 10, 5n]]],
    [
      "are known only in the last block if the old balance was unknown",
      [{ balance: null, since: 10 }, 7n, 20],
      [
        [10, 18, null],
        [19, 19, 7n],
      ],
    ],
    ["are unknown if neither balance is known", [{ balance: null, since: 10 }, null, 20], [[10, 19, null]]],
    ["are empty within one block", [{ balance: 5n, since: 10 }, 5n, 10], []],
  ];
  it.each(cases)("%s", (_, input, expected) => {
    expect(periodsBefore(...input).map(({ from, to, balance }) => [from, to, balance])).toEqual(expected);
  });
});
