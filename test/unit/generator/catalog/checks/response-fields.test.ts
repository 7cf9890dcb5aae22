import { describe } from "vitest";
import { expectDiagnostics, holdersFile, logsFile, tokensFile } from "../expect-diagnostics.ts";

describe("loadCatalog", () => {
  expectDiagnostics([
    {
      title: "a cost per item of a response without rows",
      file: logsFile,
      find: "per: block",
      replacement: "per: §item",
      code: "uncountable-cost",
      contains: ["LogsResponse has no rows", "list: true"],
    },
    {
      title: "a cost per block without a block range",
      file: tokensFile,
      find: "per: call",
      replacement: "per: §block",
      code: "uncountable-cost",
      contains: ["starting-block and ending-block"],
    },
    {
      title: "a cost per 30 days without the parameter days",
      file: tokensFile,
      find: "per: call",
      replacement: "per: §30-days",
      code: "uncountable-cost",
      contains: ["days"],
    },
    {
      title: "rows that are not a field",
      file: holdersFile,
      find: "rows: items",
      replacement: "rows: §item",
      code: "unknown-rows",
      contains: ["TokenHoldersResponse", "nearest: items"],
    },
    {
      title: "rows that are not a list",
      file: holdersFile,
      find: "rows: items",
      replacement: "rows: §pagination",
      code: "unknown-rows",
      contains: ["expected items"],
    },
  ]);
});
