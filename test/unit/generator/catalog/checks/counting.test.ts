import { describe } from "vitest";
import { expectDiagnostics, holdersFile, logsFile, tokensFile } from "../expect-diagnostics.ts";

describe("costs and rows", () => {
  expectDiagnostics([
    {
      wrong: "a cost per item of a response without rows",
      file: logsFile,
      find: "per: block",
      put: "per: §item",
      code: "uncountable-cost",
      contains: ["LogsResponse has no rows", "list: true"],
    },
    {
      wrong: "a cost per block without a range of blocks",
      file: tokensFile,
      find: "per: call",
      put: "per: §block",
      code: "uncountable-cost",
      contains: ["starting-block and ending-block"],
    },
    {
      wrong: "a cost per 30 days without days",
      file: tokensFile,
      find: "per: call",
      put: "per: §30-days",
      code: "uncountable-cost",
      contains: ["days"],
    },
    {
      wrong: "rows that are not a field",
      file: holdersFile,
      find: "rows: items",
      put: "rows: §item",
      code: "unknown-rows",
      contains: ["TokenHoldersResponse", "nearest: items"],
    },
    {
      wrong: "rows that are not a list",
      file: holdersFile,
      find: "rows: items",
      put: "rows: §pagination",
      code: "unknown-rows",
      contains: ["accepted: items"],
    },
  ]);
});
