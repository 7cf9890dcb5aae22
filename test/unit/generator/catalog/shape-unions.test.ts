import { describe } from "vitest";
import { expectDiagnostics, logsFile, tokensFile } from "./expect-diagnostics.ts";

describe("loadCatalog", () => {
  expectDiagnostics([
    {
      title: "an unknown key of a map in a union",
      file: tokensFile,
      find: "{ credits: 0.02, per: item }",
      replacement: "{ credits: 0.02, per: item, §every: 2 }",
      code: "unknown-key",
      contains: ["credits, per"],
    },
    {
      title: "an unknown value in a map of a union",
      file: tokensFile,
      find: "per: item",
      replacement: "per: §items",
      code: "unknown-value",
      contains: ["call, item, block, 30-days", "nearest: item"],
    },
    {
      title: "a misspelled literal of a union",
      file: tokensFile,
      find: "{ credits: 0.02, per: item }",
      replacement: "§not-statd",
      code: "unknown-value",
      contains: ["nearest: not-stated"],
    },
    {
      title: "a value that is neither a map nor the literal of a union",
      file: tokensFile,
      find: "{ credits: 0.02, per: item }",
      replacement: "§0.02",
      code: "wrong-type",
      contains: ["0.02", "a map with the keys credits, per, or not-stated"],
    },
    {
      title: "an unknown kind of rule",
      file: tokensFile,
      find: "- exclusive: [date, order]",
      replacement: "- §exclusiv: [date, order]",
      code: "unknown-key",
      contains: ["exclusive, together, ascending", "nearest: exclusive"],
    },
    {
      title: "a rule with only one parameter",
      file: tokensFile,
      find: "- exclusive: [date, order]",
      replacement: "- exclusive: §[date]",
      code: "wrong-value",
      contains: ["at least 2"],
    },
    {
      title: "a parameter reference with an unknown key",
      file: tokensFile,
      find: "{ name: order, values: [up, down, none], default: down }",
      replacement: "{ name: order, §valus: [up, down] }",
      code: "unknown-key",
      contains: ["nearest: values"],
    },
    {
      title: "a parameter reference that is a number",
      file: logsFile,
      find: "query: [days]",
      replacement: "query: [§30]",
      code: "wrong-type",
      contains: ["text, or a map with the keys name"],
    },
    {
      title: "an example that is a map",
      file: logsFile,
      find: "starting-block: 7",
      replacement: "starting-block: §{ height: 7 }",
      code: "wrong-type",
      contains: ["text, or a number, or true or false"],
    },
  ]);
});
