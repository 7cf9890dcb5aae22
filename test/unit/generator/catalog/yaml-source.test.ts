import { describe, expect, it } from "vitest";
import { catalogWith } from "../../../support/generator/catalog/small-catalog.ts";
import { expectDiagnostics, logsFile } from "./expect-diagnostics.ts";

describe("YAML", () => {
  expectDiagnostics([
    {
      wrong: "a bracket that is not closed",
      file: logsFile,
      find: "query: [days]\n",
      put: "query: [days\n§",
      code: "yaml-syntax",
      contains: ["Flow sequence"],
    },
    {
      wrong: "an alias without an anchor",
      file: logsFile,
      find: "query: [days]",
      put: "query: §*spans",
      code: "yaml-syntax",
      contains: ["&spans"],
    },
    {
      wrong: "an alias inside its anchor",
      file: logsFile,
      find: "query: [days]",
      put: "query: &q [§*q]",
      code: "yaml-syntax",
      contains: ["own anchor"],
    },
    {
      wrong: "a second document",
      file: logsFile,
      find: "query: [days]\n",
      put: "query: [days]\n§---\nmore: 1\n",
      code: "yaml-syntax",
      contains: ["more than one document", "accepted: one"],
    },
    { wrong: "an unknown tag", file: logsFile, find: "row: 3", put: "row: §!row 3", code: "yaml-syntax", contains: ["!row"] },
    {
      wrong: "a duplicate key",
      file: logsFile,
      find: "    row: 3\n",
      put: "    row: 3\n    §row: 3\n",
      code: "duplicate-key",
      contains: ['"row"', "line 5", "each key once"],
    },
    {
      wrong: "a duplicate id in a file",
      file: logsFile,
      find: "  getPortfolio:",
      put: "  §getLogs:",
      code: "duplicate-key",
      contains: ['"getLogs"', "line 4"],
    },
  ]);
});

describe("YAML errors", () => {
  it("are reported once per line, each at its position", () => {
    const { diagnostics, places } = catalogWith(
      { file: logsFile, find: "    row: 3", put: "    row: §@3" },
      { file: logsFile, find: "query: [days]", put: "query: §*days" },
      { file: logsFile, find: "cost: { credits: 2,", put: "cost: { credits: §`2," },
    );
    // The alias is checked only if the rest can be parsed.
    expect(diagnostics.map(({ code, line, column }) => ({ code, line, column }))).toEqual(
      [places[0], places[1]].map((place) => ({ code: "yaml-syntax", line: place?.line, column: place?.column })),
    );
  });
});
