import { describe } from "vitest";
import { expectDiagnostics, holdersFile, logObjectsFile } from "../expect-diagnostics.ts";

describe("the graph of objects", () => {
  expectDiagnostics([
    {
      wrong: "an unused object",
      file: logObjectsFile,
      find: "\nNote:",
      put: "\n§Orphan:\n  description: Used by nothing.\n  fields:\n    more: { type: Orphan?, description: Itself. }\nNote:",
      code: "unused-object",
      contains: ['"Orphan"'],
    },
    {
      wrong: "an object that contains itself",
      file: logObjectsFile,
      find: "    text: {",
      put: "    log: { type: §Log, description: The log. }\n    text: {",
      code: "circular-reference",
      contains: ["Log → Note → Log", "nullable"],
    },
    {
      wrong: "an object that is its own field",
      file: holdersFile,
      find: "type: Holder?",
      put: "type: §Holder",
      code: "circular-reference",
      contains: ["Holder → Holder"],
    },
    {
      wrong: "a field of another type than the parent's",
      file: holdersFile,
      find: "    links: {",
      put: "    items: { type: §Holder, description: One holder. }\n    links: {",
      code: "conflicting-field",
      contains: ["TokenHoldersResponse", "[Holder]"],
    },
  ]);
});
