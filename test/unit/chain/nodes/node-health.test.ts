import { describe, expect, it, test } from "vitest";
import {
  bestNodePosition,
  isLate,
  type NodeHealth,
  nextErrorRate,
  problemOf,
  referenceHead,
  voteOnBlock,
} from "../../../../runtime/chain/nodes/node-health.ts";

const healthy: NodeHealth = { head: 100, errorRate: 0, lateRounds: 0, isCompared: true, isQuarantined: false };
const nodes = (...differences: readonly Partial<NodeHealth>[]): NodeHealth[] =>
  differences.map((difference) => ({ ...healthy, ...difference }));

describe("referenceHead", () => {
  it.each<[string, Partial<NodeHealth>[], number | null]>([
    ["is the higher head of two nodes", [{ head: 100 }, { head: 200 }], 200],
    ["ignores the head of one of three nodes if it is far ahead", [{ head: 100 }, { head: 101 }, { head: 9_000_000 }], 101],
    ["ignores quarantined nodes", [{ head: 100 }, { head: 900, isQuarantined: true }], 100],
    ["is unknown before a response", [{ head: null }, { head: null }], null],
  ])("%s", (_, differences, expected) => {
    expect(referenceHead(nodes(...differences))).toBe(expected);
  });
});

describe("bestNodePosition", () => {
  it.each<[string, Partial<NodeHealth>[], number | null]>([
    ["is the first of equal nodes", [{}, {}], 0],
    ["is the node with the newer head", [{ head: 95 }, {}], 1],
    ["is the node with fewer errors", [{ errorRate: 0.3 }, {}], 1],
    ["is not a quarantined node", [{ isQuarantined: true }, { head: 90 }], 1],
    ["is not a node whose blocks were not compared", [{ isCompared: false }, { head: 90 }], 1],
    ["is not a node that is more than 16 blocks behind", [{ head: 83 }, { errorRate: 0.4 }], 1],
    ["is null if all fail", [{ errorRate: 0.6 }, { head: null }], null],
  ])("%s", (_, differences, expected) => {
    expect(bestNodePosition(nodes(...differences))).toBe(expected);
  });
});

test("a node has a problem after two failed polls in a row, not after one", () => {
  const once = nextErrorRate(0, true, 0.3);
  // 0.3, then 0.3 * 0.7 + 0.3 = 0.51.
  expect(problemOf({ ...healthy, errorRate: once }, 100)).toBeNull();
  expect(problemOf({ ...healthy, errorRate: nextErrorRate(once, true, 0.3) }, 100)).toBe("its requests fail");
});

test("a node is replaced after three late rounds, with its lag as the reason", () => {
  expect(isLate({ ...healthy, head: 84 }, 100)).toBe(false);
  expect(isLate({ ...healthy, head: 83 }, 100)).toBe(true);
  expect(problemOf({ ...healthy, head: 83, lateRounds: 2 }, 100)).toBeNull();
  expect(problemOf({ ...healthy, head: 83, lateRounds: 3 }, 100)).toBe("it is 17 blocks behind");
});

describe("voteOnBlock", () => {
  it.each<[string, (`0x${string}` | null)[], `0x${string}` | null, `0x${string}` | null, boolean]>([
    ["follows the majority, even against the index", ["0xa", "0xb", "0xb"], "0xa", "0xb", true],
    ["follows the index if two nodes differ", ["0xa", "0xb"], "0xa", "0xa", true],
    ["is undecided if two nodes differ and the block is not indexed", ["0xa", "0xb"], null, null, true],
    ["is undecided if two nodes differ from each other and from the index", ["0xa", "0xb"], "0xc", null, true],
    ["does not count nodes without the block", ["0xa", null, null], null, "0xa", false],
  ])("%s", (_, hashes, indexed, hash, isDisputed) => {
    expect(voteOnBlock(hashes, indexed)).toEqual({ hash, isDisputed });
  });
});
