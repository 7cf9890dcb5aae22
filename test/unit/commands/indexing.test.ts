import { expect, test } from "vitest";
import { isAtHead } from "../../../runtime/commands/indexing.ts";
import type { IndexerStatus } from "../../../runtime/indexer/types.ts";

const atHead: IndexerStatus = {
  block: 100,
  head: 100,
  isFollowing: true,
  isLeading: true,
  catchingUp: [],
  millisecondsByStep: { fetch: 0, decode: 0, load: 0, read: 0, fold: 0, write: 0 },
};

test.each<[string, Partial<IndexerStatus>, boolean]>([
  ["at the head", {}, true],
  ["a few blocks behind it", { head: 103 }, true],
  ["ahead of a lagging node", { head: 98 }, true],
  ["far behind after an outage of its node", { head: 1_000 }, false],
  ["during its first backfill", { isFollowing: false }, false],
  ["that another process leads", { isLeading: false }, false],
  ["with a projection that is catching up", { catchingUp: ["tokens"] }, false],
])("isAtHead decides whether jobs run for an index %s", (_, status, expected) => {
  expect(isAtHead({ ...atHead, ...status })).toBe(expected);
});
