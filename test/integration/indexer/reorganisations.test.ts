import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../demo/story/random.ts";
import { hashContents } from "../../support/contents.ts";
import { type Branching, startBranching } from "../../support/indexer/branches.ts";

let branching: Branching;

beforeAll(async () => {
  branching = await startBranching();
});
afterAll(async () => {
  await branching?.end();
});

describe("an index after a reorganisation", () => {
  it.each([1, 2, 3, 10, 30, 60])("has the same rows as a new index (depth %i)", async (depth) => {
    await branching.addBlocks();
    await branching.waitForHead();
    const before = await hashContents(branching.testDatabase.database);
    await branching.branch(depth, `depth ${depth}`);
    await branching.waitForHead();
    const actual = await hashContents(branching.testDatabase.database);
    expect(actual).toEqual(await branching.freshContents());
    expect(actual.blocks).not.toBe(before.blocks);
  });

  it.each([1, 2, 3, 4, 5])("has the same rows as a new index if a second reorganisation follows (random depths, seed %i)", async (seed) => {
    const random = createRandom(`branches ${seed}`);
    await branching.branch(random.between(1, 55), `first ${seed}`, random.between(0, 2));
    if (random.between(0, 1) === 1) await branching.waitForHead();
    await branching.branch(random.between(1, 50), `second ${seed}`, random.between(0, 2));
    await branching.waitForHead();
    expect(await hashContents(branching.testDatabase.database)).toEqual(await branching.freshContents());
  });
});
