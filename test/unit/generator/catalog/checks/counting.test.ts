import { describe } from "vitest";
import { expectFindings, holdersFile, logsFile, tokensFile } from "../expect-finding.ts";

describe("what can be counted", () => {
  expectFindings([
    {
      wrong: "a cost per item of a response without rows",
      file: logsFile,
      find: "per: block",
      put: "per: §item",
      code: "uncountable-cost",
      says: ["LogsResponse has no rows", "list: true"],
    },
    {
      wrong: "a cost per block without a range of blocks",
      file: tokensFile,
      find: "per: call",
      put: "per: §block",
      code: "uncountable-cost",
      says: ["starting-block and ending-block"],
    },
    {
      wrong: "a cost per 30 days without days",
      file: tokensFile,
      find: "per: call",
      put: "per: §30-days",
      code: "uncountable-cost",
      says: ["days"],
    },
    {
      wrong: "rows that are no field",
      file: holdersFile,
      find: "rows: items",
      put: "rows: §item",
      code: "unknown-rows",
      says: ["TokenHoldersResponse", "nearest: items"],
    },
    {
      wrong: "rows that are no list",
      file: holdersFile,
      find: "rows: items",
      put: "rows: §pagination",
      code: "unknown-rows",
      says: ["accepted: items"],
    },
  ]);
});
