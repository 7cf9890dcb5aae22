import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../demo/story/random.ts";
import { contents } from "../../support/contents.ts";
import { type Branching, startBranching } from "../../support/indexer/branches.ts";

let branching: Branching;

beforeAll(async () => {
  branching = await startBranching();
});
afterAll(async () => {
  await branching?.end();
});

describe("an index that follows a node through a reorganisation", () => {
  it.each([1, 2, 3, 10, 30, 60])("of depth %i has the rows of an index built afterwards", async (depth) => {
    await branching.goOn();
    await branching.waitForHead();
    const before = await contents(branching.test.database);
    await branching.branch(depth, `depth ${depth}`);
    await branching.waitForHead();
    const held = await contents(branching.test.database);
    expect(held).toEqual(await branching.fresh());
    expect(held.blocks).not.toBe(before.blocks);
  });

  it.each([1, 2, 3, 4, 5])(
    "of random depth (seed %i), followed by another one, has the same rows as an index built afterwards",
    async (seed) => {
      const random = createRandom(`branches ${seed}`);
      await branching.branch(random.between(1, 55), `first ${seed}`, random.between(0, 2));
      if (random.between(0, 1) === 1) await branching.waitForHead();
      await branching.branch(random.between(1, 50), `second ${seed}`, random.between(0, 2));
      await branching.waitForHead();
      expect(await contents(branching.test.database)).toEqual(await branching.fresh());
    },
  );
});
