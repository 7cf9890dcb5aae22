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

describe("an index that follows a node through a reorganisation", () => {
  it.each(Array.from({ length: 60 }, (_, index) => index + 1))("of depth %i has the rows of an index built afterwards", async (depth) => {
    await branching.goOn();
    await branching.waitForHead();
    await branching.branch(depth, `every depth ${depth}`, depth % 3 === 0 ? 1 : 0);
    await branching.waitForHead();
    expect(await contents(branching.test.database)).toEqual(await branching.fresh());
  });
});
