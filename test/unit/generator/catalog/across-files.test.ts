import { describe, expect, it } from "vitest";
import { loadCatalog } from "../../../../generator/catalog/load.ts";
import { renderDiagnostic } from "../../../../runtime/declarations/diagnostics.ts";
import { type Change, catalogWith, smallCatalog } from "../../../support/generator/catalog/small-catalog.ts";
import { holdersFile, logObjectsFile, logsFile, protocolFile, serviceFile, templateFile, tokensFile } from "./expect-diagnostics.ts";

const load = (...changes: readonly Change[]) => {
  const { diagnostics, locations } = catalogWith(...changes);
  return {
    lines: diagnostics.map(renderDiagnostic),
    codes: diagnostics.map(({ code }) => code),
    reported: diagnostics.map(({ file, line, column }) => ({ file, line, column })),
    locations,
  };
};

const portfolio = { file: logsFile, find: "path: /v1/{chainName}/portfolio/" } as const;
const paged = { file: tokensFile, find: "path: /v1/{chainName}/tokens/{tokenAddress}/holders/{page}/" } as const;

describe("loadCatalog, for two paths", () => {
  it("reports ambiguity with both locations if only parameter names differ", () => {
    const { lines, reported, locations } = load(
      { ...portfolio, replacement: "path: /v1/{tokenAddress}/tokens/{chainName}/holders/" },
      {
        file: tokensFile,
        find: "path: /v1/{chainName}/tokens/{tokenAddress}/holders/\n",
        replacement: "path: §/v1/{chainName}/tokens/{tokenAddress}/holders/\n",
      },
    );
    expect(reported).toEqual(locations);
    expect(lines[0]).toContain("ambiguous-path");
    expect(lines[0]).toContain("/v1/{tokenAddress}/tokens/{chainName}/holders/ (spec/endpoints/logs.yaml:21:11)");
  });

  it("reports ambiguity if only the case differs", () => {
    const { codes, reported, locations } = load({ ...paged, replacement: "path: §/v1/{chainName}/Portfolio/" });
    expect(codes).toEqual(["ambiguous-path"]);
    expect(reported).toEqual(locations);
  });

  it("accepts a literal segment in one path and a parameter in the other, because the literal takes precedence", () => {
    // The only diagnostic is about the page; the overlapping segments are accepted.
    expect(load({ ...portfolio, replacement: "path: /v1/{chainName}/tokens/metadata/{page}/" }).codes).toEqual(["style-path"]);
    expect(load({ ...portfolio, replacement: "path: /v1/{chainName}/tokens/approvals/{tokenAddress}/" }).codes).toEqual([]);
    expect(load({ ...portfolio, replacement: "path: /v1/chains/status/" }).codes).toEqual([]);
  });

  it("accepts paths of different lengths", () => {
    expect(load({ ...portfolio, replacement: "path: /v1/{chainName}/" }).codes).toEqual([]);
  });

  it("reports a path that duplicates a protocol's operation", () => {
    const { codes, reported } = load({ ...portfolio, replacement: "path: /v1/cq/protocol_01/markets/" });
    expect(codes).toEqual(["duplicate-path"]);
    expect(reported).toEqual([{ file: protocolFile, line: 6, column: 3 }]);
  });
});

describe("loadCatalog, for names in several files", () => {
  it("reports an id that is also the id of a community handler", () => {
    const { lines } = load({ file: tokensFile, find: "  getTokenHoldersByPage:", replacement: "  getCommunityMarkets:" });
    expect(lines).toEqual([
      'spec/community/protocol_01/protocol.yaml:6:3 duplicate-id: Duplicate id "getCommunityMarkets": already defined at spec/endpoints/tokens.yaml:19:3, expected unique ids',
    ]);
  });

  it("reports a protocol that is defined in two files", () => {
    const files = new Map([...smallCatalog, ["spec/community/protocol_03/protocol.yaml", smallCatalog.get(protocolFile) ?? ""]]);
    expect(new Set(loadCatalog(files).diagnostics.map(({ code, file }) => `${file} ${code}`))).toEqual(
      new Set([
        "spec/community/protocol_03/protocol.yaml duplicate-protocol",
        "spec/community/protocol_03/protocol.yaml duplicate-name",
        "spec/community/protocol_03/protocol.yaml misplaced-protocol",
        "spec/community/protocol_03/protocol.yaml duplicate-path",
      ]),
    );
  });
});

describe("loadCatalog, for a response object", () => {
  it("reports missing fields of the pagination style", () => {
    const { lines, reported, locations } = load(
      {
        file: holdersFile,
        find: "    pagination: { type: Pagination?, description: The page. }\n",
        replacement: "    paginations: { type: Pagination?, description: The page. }\n",
      },
      { file: tokensFile, find: "{ style: page, sizes", replacement: "{ style: §page, sizes" },
      { file: templateFile, find: "style: page", replacement: "style: §page" },
    );
    expect(lines.map((line) => line.replace(/^\S+ /, ""))).toEqual([
      'missing-pagination-field: Missing field "pagination" in HolderPagesResponse: required by the pagination style "page", expected a response object with that field (nearest: paginations)',
      'missing-pagination-field: Missing field "pagination" in TokenHoldersResponse: required by the pagination style "page", expected a response object with that field (nearest: paginations)',
    ]);
    expect(reported).toEqual([...locations].reverse());
  });

  it("reports missing rows if the pagination style requires them", () => {
    const { codes, reported, locations } = load(
      { file: holdersFile, find: "  rows: items\n", replacement: "" },
      { file: tokensFile, find: "style: links }", replacement: "style: §links }" },
      { file: tokensFile, find: "per: item", replacement: "per: §item" },
      { file: tokensFile, find: "{ style: page, sizes", replacement: "{ style: §page, sizes" },
      { file: templateFile, find: "style: page", replacement: "style: §page" },
    );
    expect(codes).toEqual(["unpaged-response", "uncountable-cost", "unpaged-response", "unpaged-response"]);
    expect(reported).toEqual([
      ...locations.filter(({ file }) => file === templateFile),
      ...locations.filter(({ file }) => file === tokensFile),
    ]);
  });

  it("accepts a cost per item if the data is a list", () => {
    expect(load({ file: logsFile, find: "per: block }", replacement: "per: item }\n    list: true" }).codes).toEqual([]);
  });
});

describe("loadCatalog, for objects", () => {
  it("reports objects that extend each other once, with the cycle", () => {
    const { lines, reported } = load({
      file: holdersFile,
      find: "  rows: items\n",
      replacement: "  rows: items\n  extends: HolderPagesResponse\n",
    });
    expect(lines.map((line) => line.replace(/^\S+ /, ""))).toEqual([
      "circular-parent: Circular inheritance: TokenHoldersResponse → HolderPagesResponse → TokenHoldersResponse, expected an inheritance chain without cycles",
    ]);
    // The edge that closes the cycle, in HolderPagesResponse.
    expect(reported).toEqual([{ file: holdersFile, line: 12, column: 12 }]);
  });

  it("accepts an object that contains itself through a list or a nullable field", () => {
    const list = {
      file: logObjectsFile,
      find: "    text: {",
      replacement: '    logs: { type: "[Log]", description: The logs. }\n    text: {',
    };
    expect(load(list).codes).toEqual([]);
    expect(load({ ...list, replacement: "    log: { type: Log?, description: The log. }\n    text: {" }).codes).toEqual([]);
  });

  it("accepts a field that redefines the parent's field with the same type", () => {
    expect(
      load({
        file: holdersFile,
        find: "    links: {",
        replacement: '    items: { type: "[Holder]", description: One page. }\n    links: {',
      }).codes,
    ).toEqual([]);
  });
});

describe("loadCatalog, for files", () => {
  const diagnosticsWithout = (file: string) =>
    loadCatalog(new Map([...smallCatalog].filter(([name]) => name !== file))).diagnostics.map(renderDiagnostic);

  it("reports a file that is not part of the catalog, with the expected files", () => {
    const { diagnostics } = loadCatalog(new Map([...smallCatalog, ["spec/endpoint/more.yaml", "domain: tokens\n"]]));
    expect(diagnostics.map(renderDiagnostic)).toEqual([
      "spec/endpoint/more.yaml:1:1 unknown-file: Unexpected file: expected service.yaml, endpoints/*.yaml, objects/*.yaml, community/template.yaml, community/<protocol>/protocol.yaml, community/<folder>/*.sql",
    ]);
  });

  it("reports a missing file without follow-on diagnostics", () => {
    expect(diagnosticsWithout(serviceFile)).toEqual([
      expect.stringMatching(/^spec\/service\.yaml:1:1 missing-file: Missing file service\.yaml/),
    ]);
    expect(diagnosticsWithout(templateFile)).toContainEqual(expect.stringMatching(/^spec\/community\/template\.yaml:1:1 missing-file/));
  });
});
