import { describe, expect, it } from "vitest";
import { catalogWith } from "../../../support/generator/catalog/small-catalog.ts";
import { expectDiagnostics, logsFile } from "./expect-diagnostics.ts";

describe("loadCatalog", () => {
  expectDiagnostics([
    {
      title: "an unclosed bracket",
      file: logsFile,
      find: "query: [days]\n",
      replacement: "query: [days\n§",
      code: "yaml-syntax",
      contains: ["Flow sequence"],
    },
    {
      title: "an alias without an anchor",
      file: logsFile,
      find: "query: [days]",
      replacement: "query: §*spans",
      code: "yaml-syntax",
      contains: ["&spans"],
    },
    {
      title: "an alias inside its own anchor",
      file: logsFile,
      find: "query: [days]",
      replacement: "query: &q [§*q]",
      code: "yaml-syntax",
      contains: ["own anchor"],
    },
    {
      title: "a second document",
      file: logsFile,
      find: "query: [days]\n",
      replacement: "query: [days]\n§---\nmore: 1\n",
      code: "yaml-syntax",
      contains: ["more than one document", "expected one"],
    },
    { title: "an unknown tag", file: logsFile, find: "row: 3", replacement: "row: §!row 3", code: "yaml-syntax", contains: ["!row"] },
    {
      title: "a duplicate key",
      file: logsFile,
      find: "    row: 3\n",
      replacement: "    row: 3\n    §row: 3\n",
      code: "duplicate-key",
      contains: ['"row"', "line 5", "unique keys"],
    },
    {
      title: "a duplicate id in a file",
      file: logsFile,
      find: "  getPortfolio:",
      replacement: "  §getLogs:",
      code: "duplicate-key",
      contains: ['"getLogs"', "line 4"],
    },
  ]);
});

describe("loadCatalog with several YAML errors", () => {
  it("reports one error per line, at its location", () => {
    const { diagnostics, locations } = catalogWith(
      { file: logsFile, find: "    row: 3", replacement: "    row: §@3" },
      { file: logsFile, find: "query: [days]", replacement: "query: §*days" },
      { file: logsFile, find: "cost: { credits: 2,", replacement: "cost: { credits: §`2," },
    );
    // Aliases are checked only if the file can be parsed.
    expect(diagnostics.map(({ code, line, column }) => ({ code, line, column }))).toEqual(
      [locations[0], locations[1]].map((location) => ({ code: "yaml-syntax", line: location?.line, column: location?.column })),
    );
  });
});
