import { describe } from "vitest";
import { expectFindings, holdersFile, logObjectsFile } from "../expect-finding.ts";

describe("the graph of objects", () => {
  expectFindings([
    {
      wrong: "an object that nothing uses",
      file: logObjectsFile,
      find: "\nNote:",
      put: "\n§Orphan:\n  description: Used by nothing.\n  fields:\n    more: { type: Orphan?, description: Itself. }\nNote:",
      code: "unused-object",
      says: ['"Orphan"'],
    },
    {
      wrong: "an object that contains itself",
      file: logObjectsFile,
      find: "    text: {",
      put: "    log: { type: §Log, description: The log. }\n    text: {",
      code: "circular-reference",
      says: ["Log → Note → Log", "nullable"],
    },
    {
      wrong: "an object that is its own field",
      file: holdersFile,
      find: "type: Holder?",
      put: "type: §Holder",
      code: "circular-reference",
      says: ["Holder → Holder"],
    },
    {
      wrong: "a field of another type than the parent's",
      file: holdersFile,
      find: "    links: {",
      put: "    items: { type: §Holder, description: One holder. }\n    links: {",
      code: "conflicting-field",
      says: ["TokenHoldersResponse", "[Holder]"],
    },
  ]);
});
