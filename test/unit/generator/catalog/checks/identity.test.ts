import { describe } from "vitest";
import { expectDiagnostics, logObjectsFile, logsFile, protocolFile, tokensFile } from "../expect-diagnostics.ts";

describe("loadCatalog", () => {
  expectDiagnostics([
    {
      title: "a duplicate id in two files",
      file: tokensFile,
      find: "getTokenHoldersByPage",
      replacement: "§getLogs",
      code: "duplicate-id",
      contains: ['"getLogs"', "spec/endpoints/logs.yaml:4:3"],
    },
    {
      title: "a duplicate row",
      file: tokensFile,
      find: "row: 2",
      replacement: "row: §3",
      code: "duplicate-row",
      contains: ["Duplicate row 3", "spec/endpoints/logs.yaml:5:10"],
    },
    {
      title: "a duplicate path",
      file: tokensFile,
      find: "/v1/{chainName}/tokens/{tokenAddress}/holders/{page}/",
      replacement: "§/v1/{chainName}/portfolio/",
      code: "duplicate-path",
      contains: ["/v1/{chainName}/portfolio/", "spec/endpoints/logs.yaml:21:11"],
    },
    {
      title: "a duplicate object in two files",
      file: logObjectsFile,
      find: "\nLogsResponse:",
      replacement:
        "\n§Links:\n  description: Again.\n  fields:\n    again: { type: string, description: Again., example: again }\nLogsResponse:",
      code: "duplicate-object",
      contains: ['"Links"', "spec/objects/holders.yaml:26:1"],
    },
    {
      title: "a protocol in the file of a different protocol",
      file: protocolFile,
      find: "protocol: protocol_01",
      replacement: "protocol: §protocol_03",
      code: "misplaced-protocol",
      contains: ["expected protocol_01"],
    },
    {
      title: "an endpoint without a row",
      file: tokensFile,
      find: "  getTokenHoldersByPage:\n    row: 2\n",
      replacement: "  §getTokenHoldersByPage:\n",
      code: "missing-row",
      contains: ["class A", "addition: true"],
    },
    {
      title: "an addition with a row",
      file: logsFile,
      find: "    class: A\n",
      replacement: "    class: A\n    row: §4\n",
      code: "unexpected-row",
      contains: ["an addition"],
    },
    {
      title: "a pricing endpoint with a row",
      file: logsFile,
      find: "row: 3\n    class: B",
      replacement: "row: §3\n    class: pricing",
      code: "unexpected-row",
      contains: ["class pricing"],
    },
    {
      title: "an endpoint of the class that is reserved for the community template",
      file: logsFile,
      find: "class: B",
      replacement: "class: §C",
      code: "misplaced-class",
      contains: ["community template"],
    },
  ]);
});
