import { expect, it } from "vitest";
import { isLevel } from "../../../runtime/commands/indexing.ts";
import type { IndexerStatus } from "../../../runtime/indexer/types.ts";

const level: IndexerStatus = {
  block: 100,
  head: 100,
  following: true,
  leading: true,
  catchingUp: [],
  spent: { fetch: 0, decode: 0, load: 0, read: 0, fold: 0, write: 0 },
};

it.each<[string, Partial<IndexerStatus>, boolean]>([
  ["at the head", {}, true],
  ["a few blocks behind it", { head: 103 }, true],
  ["ahead of a node that lags", { head: 98 }, true],
  ["far behind after a time without its node", { head: 1_000 }, false],
  ["on its way to the head for the first time", { following: false }, false],
  ["of another process", { leading: false }, false],
  ["with a projection that catches up", { catchingUp: ["tokens"] }, false],
])("whether jobs are done in an index %s", (_, status, expected) => {
  expect(isLevel({ ...level, ...status })).toBe(expected);
});
