import { describe } from "vitest";
import { expectDiagnostics, logObjectsFile, logsFile, protocolFile, tokensFile } from "../expect-diagnostics.ts";

describe("unique names", () => {
  expectDiagnostics([
    {
      wrong: "an id in two files",
      file: tokensFile,
      find: "getTokenHoldersByPage",
      put: "§getLogs",
      code: "duplicate-id",
      contains: ['"getLogs"', "spec/endpoints/logs.yaml:4:3"],
    },
    {
      wrong: "a row of two endpoints",
      file: tokensFile,
      find: "row: 2",
      put: "row: §3",
      code: "duplicate-row",
      contains: ["row 3", "spec/endpoints/logs.yaml:5:10"],
    },
    {
      wrong: "a path of two endpoints",
      file: tokensFile,
      find: "/v1/{chainName}/tokens/{tokenAddress}/holders/{page}/",
      put: "§/v1/{chainName}/portfolio/",
      code: "duplicate-path",
      contains: ["/v1/{chainName}/portfolio/", "spec/endpoints/logs.yaml:21:11"],
    },
    {
      wrong: "an object in two files",
      file: logObjectsFile,
      find: "\nLogsResponse:",
      put: "\n§Links:\n  description: Again.\n  fields:\n    again: { type: string, description: Again., example: again }\nLogsResponse:",
      code: "duplicate-object",
      contains: ['"Links"', "spec/objects/holders.yaml:26:1"],
    },
    {
      wrong: "a protocol in another protocol's file",
      file: protocolFile,
      find: "protocol: protocol_01",
      put: "protocol: §protocol_03",
      code: "misplaced-protocol",
      contains: ["accepted: protocol_01"],
    },
    {
      wrong: "an endpoint without a row",
      file: tokensFile,
      find: "  getTokenHoldersByPage:\n    row: 2\n",
      put: "  §getTokenHoldersByPage:\n",
      code: "missing-row",
      contains: ["class A", "addition: true"],
    },
    {
      wrong: "an addition with a row",
      file: logsFile,
      find: "    class: A\n",
      put: "    class: A\n    row: §4\n",
      code: "unexpected-row",
      contains: ["an addition"],
    },
    {
      wrong: "pricing with a row",
      file: logsFile,
      find: "row: 3\n    class: B",
      put: "row: §3\n    class: pricing",
      code: "unexpected-row",
      contains: ["class pricing"],
    },
    {
      wrong: "an endpoint of the community's class",
      file: logsFile,
      find: "class: B",
      put: "class: §C",
      code: "misplaced-class",
      contains: ["community template"],
    },
  ]);
});
