import { describe } from "vitest";
import { expectDiagnostics, holdersFile, logObjectsFile } from "../expect-diagnostics.ts";

describe("loadCatalog", () => {
  expectDiagnostics([
    {
      title: "an unused object",
      file: logObjectsFile,
      find: "\nNote:",
      replacement: "\n§Orphan:\n  description: Used by nothing.\n  fields:\n    more: { type: Orphan?, description: Itself. }\nNote:",
      code: "unused-object",
      contains: ['"Orphan"'],
    },
    {
      title: "an object that contains itself",
      file: logObjectsFile,
      find: "    text: {",
      replacement: "    log: { type: §Log, description: The log. }\n    text: {",
      code: "circular-reference",
      contains: ["Log → Note → Log", "nullable"],
    },
    {
      title: "an object that has itself as a field",
      file: holdersFile,
      find: "type: Holder?",
      replacement: "type: §Holder",
      code: "circular-reference",
      contains: ["Holder → Holder"],
    },
    {
      title: "a field whose type differs from the parent's",
      file: holdersFile,
      find: "    links: {",
      replacement: "    items: { type: §Holder, description: One holder. }\n    links: {",
      code: "conflicting-field",
      contains: ["TokenHoldersResponse", "[Holder]"],
    },
  ]);
});
