import { describe } from "vitest";
import { expectDiagnostics, logsFile, tokensFile } from "./expect-diagnostics.ts";

describe("unions of shapes", () => {
  expectDiagnostics([
    {
      wrong: "an unknown key of a map",
      file: tokensFile,
      find: "{ credits: 0.02, per: item }",
      put: "{ credits: 0.02, per: item, §every: 2 }",
      code: "unknown-key",
      contains: ["credits, per"],
    },
    {
      wrong: "an unknown value in a map",
      file: tokensFile,
      find: "per: item",
      put: "per: §items",
      code: "unknown-value",
      contains: ["call, item, block, 30-days", "nearest: item"],
    },
    {
      wrong: "a misspelt literal",
      file: tokensFile,
      find: "{ credits: 0.02, per: item }",
      put: "§not-statd",
      code: "unknown-value",
      contains: ["nearest: not-stated"],
    },
    {
      wrong: "neither a map nor the literal",
      file: tokensFile,
      find: "{ credits: 0.02, per: item }",
      put: "§0.02",
      code: "wrong-type",
      contains: ["0.02", "a map with the keys credits, per, or not-stated"],
    },
    {
      wrong: "an unknown kind of rule",
      file: tokensFile,
      find: "- exclusive: [date, order]",
      put: "- §exclusiv: [date, order]",
      code: "unknown-key",
      contains: ["exclusive, together, ascending", "nearest: exclusive"],
    },
    {
      wrong: "a rule with too few names",
      file: tokensFile,
      find: "- exclusive: [date, order]",
      put: "- exclusive: §[date]",
      code: "wrong-value",
      contains: ["at least 2"],
    },
    {
      wrong: "a parameter reference with an unknown key",
      file: tokensFile,
      find: "{ name: order, values: [up, down, none], default: down }",
      put: "{ name: order, §valus: [up, down] }",
      code: "unknown-key",
      contains: ["nearest: values"],
    },
    {
      wrong: "a parameter reference that is a number",
      file: logsFile,
      find: "query: [days]",
      put: "query: [§30]",
      code: "wrong-type",
      contains: ["text, or a map with the keys name"],
    },
    {
      wrong: "an example that is a map",
      file: logsFile,
      find: "starting-block: 7",
      put: "starting-block: §{ height: 7 }",
      code: "wrong-type",
      contains: ["text, or a number, or true or false"],
    },
  ]);
});
