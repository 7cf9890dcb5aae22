import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashContents } from "../../support/contents.ts";
import { type Branching, startBranching } from "../../support/indexer/branches.ts";

const depthCount = 60;
/** The index is rebuilt after each reorganisation, which takes longer on a longer chain: a new chain starts after this number of depths. */
const depthsPerChain = 15;

describe.each(Array.from({ length: depthCount / depthsPerChain }, (_, part) => part * depthsPerChain))(
  "an index that follows a node",
  (first) => {
    let branching: Branching;

    beforeAll(async () => {
      branching = await startBranching();
    });
    afterAll(async () => {
      await branching?.end();
    });

    it.each(Array.from({ length: depthsPerChain }, (_, index) => first + index + 1))(
      "has the rows of a rebuilt index after a reorganisation of depth %i",
      async (depth) => {
        await branching.addBlocks();
        await branching.waitForHead();
        await branching.branch(depth, `every depth ${depth}`, depth % 3 === 0 ? 1 : 0);
        await branching.waitForHead();
        expect(await hashContents(branching.testDatabase.database)).toEqual(await branching.freshContents());
      },
    );
  },
);
