import { describe, expect, it } from "vitest";
import { catalogWith } from "../../../support/generator/catalog/small-catalog.ts";
import { expectFindings, logsFile } from "./expect-finding.ts";

describe("YAML", () => {
  expectFindings([
    {
      wrong: "a bracket that is not closed",
      file: logsFile,
      find: "query: [days]\n",
      put: "query: [days\n§",
      code: "yaml-syntax",
      says: ["Flow sequence"],
    },
    {
      wrong: "an alias without an anchor",
      file: logsFile,
      find: "query: [days]",
      put: "query: §*spans",
      code: "yaml-syntax",
      says: ["&spans"],
    },
    {
      wrong: "an alias inside its anchor",
      file: logsFile,
      find: "query: [days]",
      put: "query: &q [§*q]",
      code: "yaml-syntax",
      says: ["own anchor"],
    },
    {
      wrong: "a second document",
      file: logsFile,
      find: "query: [days]\n",
      put: "query: [days]\n§---\nmore: 1\n",
      code: "yaml-syntax",
      says: ["more than one document", "accepted: one"],
    },
    { wrong: "a tag that nothing knows", file: logsFile, find: "row: 3", put: "row: §!row 3", code: "yaml-syntax", says: ["!row"] },
    {
      wrong: "a key that a map has twice",
      file: logsFile,
      find: "    row: 3\n",
      put: "    row: 3\n    §row: 3\n",
      code: "duplicate-key",
      says: ['"row"', "line 5", "each key once"],
    },
    {
      wrong: "an id that a file has twice",
      file: logsFile,
      find: "  getPortfolio:",
      put: "  §getLogs:",
      code: "duplicate-key",
      says: ['"getLogs"', "line 4"],
    },
  ]);
});

describe("YAML errors", () => {
  it("are reported once a line, each at its own place", () => {
    const { diagnostics, places } = catalogWith(
      { file: logsFile, find: "    row: 3", put: "    row: §@3" },
      { file: logsFile, find: "query: [days]", put: "query: §*days" },
      { file: logsFile, find: "cost: { credits: 2,", put: "cost: { credits: §`2," },
    );
    // The alias is looked at where the rest can be read.
    expect(diagnostics.map(({ code, line, column }) => ({ code, line, column }))).toEqual(
      [places[0], places[1]].map((place) => ({ code: "yaml-syntax", line: place?.line, column: place?.column })),
    );
  });
});
