import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contents } from "../../support/contents.ts";
import { type Branching, startBranching } from "../../support/indexer/branches.ts";

let branching: Branching;

beforeAll(async () => {
  branching = await startBranching();
});
afterAll(async () => {
  await branching?.end();
});

describe("an index that follows a node", () => {
  it.each(Array.from({ length: 60 }, (_, index) => index + 1))(
    "has the rows of a rebuilt index after a reorganisation of depth %i",
    async (depth) => {
      await branching.addBlocks();
      await branching.waitForHead();
      await branching.branch(depth, `every depth ${depth}`, depth % 3 === 0 ? 1 : 0);
      await branching.waitForHead();
      expect(await contents(branching.test.database)).toEqual(await branching.fresh());
    },
  );
});
