import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadCatalog, readCatalogFiles } from "../../../../generator/catalog/load.ts";
import { renderDiagnostic } from "../../../../runtime/declarations/diagnostics.ts";
import { catalogWith, smallCatalog } from "../../../support/generator/catalog/small-catalog.ts";

const specDirectory = new URL("../../../../spec", import.meta.url).pathname;

describe("loadCatalog", () => {
  const { catalog, diagnostics } = loadCatalog(smallCatalog);

  it("reports no diagnostics for a valid catalog", () => {
    expect(diagnostics.map(renderDiagnostic)).toEqual([]);
  });

  it("orders operations by file, then by location", () => {
    expect(catalog?.operations.map(({ id }) => id)).toEqual(["getLogs", "getPortfolio", "getTokenHolders", "getTokenHoldersByPage"]);
  });

  it("applies defaults and records the location of each operation", () => {
    const logs = catalog?.operations[0];
    expect(logs).toMatchObject({ handler: "getLogs", domain: "tokens", protocol: null });
    expect(logs?.location).toEqual({ file: "spec/endpoints/logs.yaml", line: 4, column: 3 });
    expect(logs?.definition).toMatchObject({ pagination: { style: "none" }, example: { "starting-block": 7 }, status: "planned" });
    expect(catalog?.operations[1]?.definition).toMatchObject({ status: "live", rules: [], example: {} });
  });

  it("adds inherited fields before an object's own fields", () => {
    const pages = catalog?.objects.get("HolderPagesResponse");
    expect(Object.keys(pages?.fields ?? {})).toEqual(["updated_at", "items", "pagination", "links"]);
    expect(pages?.rows).toBe("items");
  });

  it("creates one endpoint per protocol and operation", () => {
    expect(catalog?.communityOperations.map(({ id, handler, protocol, definition }) => [id, handler, protocol, definition.path])).toEqual([
      ["getProtocol01Markets", "getCommunityMarkets", "protocol_01", "/v1/cq/protocol_01/markets/"],
      ["getProtocol01Balances", "getCommunityBalances", "protocol_01", "/v1/cq/protocol_01/balances/"],
      ["getProtocol02Balances", "getCommunityBalances", "protocol_02", "/v1/cq/protocol_02/balances/"],
    ]);
    expect(catalog?.communityOperations.map(({ definition }) => definition.notes)).toEqual([
      "All of them.",
      "Only some of them.",
      "All of them.",
    ]);
    expect(catalog?.communityOperations[0]?.definition).toMatchObject({ class: "C", cost: "not-stated", mode: "batch", status: "planned" });
  });
});

describe("the repository's catalog", () => {
  it("has every row in the interface, and no diagnostics", async () => {
    const { catalog, diagnostics } = loadCatalog(await readCatalogFiles(specDirectory));
    expect(diagnostics.map(renderDiagnostic)).toEqual([]);
    const rows = catalog?.operations.flatMap(({ definition }) => definition.row ?? []).sort((left, right) => left - right);
    expect(rows).toEqual(Array.from({ length: 55 }, (_, index) => index + 1));
    // All rows and the pricing endpoint, which has no row. The number of additions is not fixed.
    expect(catalog?.operations.filter(({ definition }) => definition.addition !== true)).toHaveLength(55 + 1);
    // market_data 9, markets 8, balances 9, transactions 10, tokens 3.
    expect(catalog?.communityOperations).toHaveLength(9 + 8 + 9 + 10 + 3);
  });

  it("has file paths that start with the name of its folder", async () => {
    const files = await readCatalogFiles(specDirectory);
    expect(files.get("spec/service.yaml")).toBe(readFileSync(`${specDirectory}/service.yaml`, "utf8"));
  });
});

describe("loadCatalog with several problems", () => {
  it("reports all of them, ordered by file and line", () => {
    const { catalog, diagnostics, locations } = catalogWith(
      {
        file: "spec/community/protocol_02/protocol.yaml",
        find: "description: The second one.",
        replacement: "description: [The second\n§operations:",
      },
      { file: "spec/endpoints/logs.yaml", find: "query: [days]", replacement: "query: [§day]" },
      { file: "spec/endpoints/tokens.yaml", find: "    mode: realtime\n", replacement: "    mode: §real-time\n    §colour: red\n" },
      { file: "spec/objects/holders.yaml", find: 'example: "1000"', replacement: "example: §1000" },
      { file: "spec/service.yaml", find: "commonQuery: [key]", replacement: "commonQuery: [§keys]" },
    );
    expect(catalog).toBeNull();
    expect(diagnostics.slice(1).map(({ code }) => code)).toEqual([
      "unknown-parameter",
      "unknown-value",
      "unknown-key",
      "wrong-example",
      "unknown-parameter",
    ]);
    expect(diagnostics[0]).toMatchObject({ code: "yaml-syntax" });
    expect(diagnostics.map(({ file, line, column }) => ({ file, line, column }))).toEqual(locations);
  });

  it("reports an invalid reference in an endpoint in addition to its wrong types", () => {
    const { diagnostics, locations } = catalogWith(
      { file: "spec/endpoints/logs.yaml", find: "row: 3", replacement: "row: §three" },
      { file: "spec/endpoints/logs.yaml", find: "path: /v1/{chainName}/events/", replacement: "path: §/v1/{chain}/events/" },
      { file: "spec/endpoints/logs.yaml", find: "status: planned", replacement: "status: §plan" },
    );
    expect(diagnostics.map(({ code }) => code)).toEqual(["wrong-type", "undeclared-path-parameter", "unknown-value"]);
    expect(diagnostics.map(({ file, line, column }) => ({ file, line, column }))).toEqual(locations);
  });

  it("reports only the syntax error if a file is not valid YAML", () => {
    for (const [file, text] of smallCatalog) {
      const { diagnostics } = loadCatalog(new Map([...smallCatalog, [file, `${text}\n]: [`]]));
      expect(diagnostics.length).toBeGreaterThan(0);
      expect(new Set(diagnostics.map(({ file, code }) => `${file} ${code}`))).toEqual(new Set([`${file} yaml-syntax`]));
    }
  });

  it("reports only that an empty file has the wrong type", () => {
    for (const [file] of smallCatalog) {
      const { diagnostics } = loadCatalog(new Map([...smallCatalog, [file, ""]]));
      expect(diagnostics.map(({ file: path, line, column, code }) => ({ path, line, column, code }))).toEqual([
        { path: file, line: 1, column: 1, code: "wrong-type" },
      ]);
    }
  });
});
