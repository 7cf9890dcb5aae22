import { describe, expect, it } from "vitest";
import { renderDiagnostic } from "../../../../generator/catalog/diagnostics.ts";
import { loadCatalog } from "../../../../generator/catalog/load.ts";
import { type Change, catalogWith, smallCatalog } from "../../../support/generator/catalog/small-catalog.ts";
import { holdersFile, logObjectsFile, logsFile, protocolFile, serviceFile, templateFile, tokensFile } from "./expect-diagnostics.ts";

const found = (...changes: readonly Change[]) => {
  const { diagnostics, places } = catalogWith(...changes);
  return {
    lines: diagnostics.map(renderDiagnostic),
    codes: diagnostics.map(({ code }) => code),
    at: diagnostics.map(({ file, line, column }) => ({ file, line, column })),
    places,
  };
};

const portfolio = { file: logsFile, find: "path: /v1/{chainName}/portfolio/" } as const;
const paged = { file: tokensFile, find: "path: /v1/{chainName}/tokens/{tokenAddress}/holders/{page}/" } as const;

describe("two paths", () => {
  it("are ambiguous if only parameter names differ, and both positions are reported", () => {
    const { lines, at, places } = found(
      { ...portfolio, put: "path: /v1/{tokenAddress}/tokens/{chainName}/holders/" },
      {
        file: tokensFile,
        find: "path: /v1/{chainName}/tokens/{tokenAddress}/holders/\n",
        put: "path: §/v1/{chainName}/tokens/{tokenAddress}/holders/\n",
      },
    );
    expect(at).toEqual(places);
    expect(lines[0]).toContain("ambiguous-path");
    expect(lines[0]).toContain("/v1/{tokenAddress}/tokens/{chainName}/holders/ (spec/endpoints/logs.yaml:21:11)");
  });

  it("are ambiguous if only the case differs", () => {
    const { codes, at, places } = found({ ...paged, put: "path: §/v1/{chainName}/Portfolio/" });
    expect(codes).toEqual(["ambiguous-path"]);
    expect(at).toEqual(places);
  });

  it("are accepted if one has a literal where the other has a parameter, because the literal takes precedence", () => {
    // The request /v1/demo/tokens/metadata/holders/ also matches the second; the first takes precedence.
    expect(found({ ...portfolio, put: "path: /v1/{chainName}/tokens/metadata/{page}/" }).codes).toEqual(["style-path"]);
    expect(found({ ...portfolio, put: "path: /v1/{chainName}/tokens/approvals/{tokenAddress}/" }).codes).toEqual([]);
    expect(found({ ...portfolio, put: "path: /v1/chains/status/" }).codes).toEqual([]);
  });

  it("of different length are never ambiguous", () => {
    expect(found({ ...portfolio, put: "path: /v1/{chainName}/" }).codes).toEqual([]);
  });

  it("of an endpoint and a protocol's operation may be duplicates", () => {
    const { codes, at } = found({ ...portfolio, put: "path: /v1/cq/protocol_01/markets/" });
    expect(codes).toEqual(["duplicate-path"]);
    expect(at).toEqual([{ file: protocolFile, line: 5, column: 3 }]);
  });
});

describe("names across files", () => {
  it("must differ from community handlers", () => {
    const { lines } = found({ file: tokensFile, find: "  getTokenHoldersByPage:", put: "  getCommunityMarkets:" });
    expect(lines).toEqual([
      'spec/community/protocol_01.yaml:5:3 duplicate-id: "getCommunityMarkets" is already defined at spec/endpoints/tokens.yaml:19:3; accepted: each id once',
    ]);
  });

  it("must not repeat a protocol in two files", () => {
    const files = new Map([...smallCatalog, ["spec/community/protocol_03.yaml", smallCatalog.get(protocolFile) ?? ""]]);
    expect(new Set(loadCatalog(files).diagnostics.map(({ code, file }) => `${file} ${code}`))).toEqual(
      new Set([
        "spec/community/protocol_03.yaml duplicate-protocol",
        "spec/community/protocol_03.yaml misplaced-protocol",
        "spec/community/protocol_03.yaml duplicate-path",
      ]),
    );
  });
});

describe("a response", () => {
  it("must have the fields of its pagination style", () => {
    const { lines, at, places } = found(
      {
        file: holdersFile,
        find: "    pagination: { type: Pagination?, description: The page. }\n",
        put: "    paginations: { type: Pagination?, description: The page. }\n",
      },
      { file: tokensFile, find: "{ style: page, sizes", put: "{ style: §page, sizes" },
      { file: templateFile, find: "style: page", put: "style: §page" },
    );
    expect(lines.map((line) => line.replace(/^\S+ /, ""))).toEqual([
      'unanswered-style: the pagination style "page" requires the field "pagination", which HolderPagesResponse lacks; accepted: a response object with that field; nearest: paginations',
      'unanswered-style: the pagination style "page" requires the field "pagination", which TokenHoldersResponse lacks; accepted: a response object with that field; nearest: paginations',
    ]);
    expect(at).toEqual([...places].reverse());
  });

  it("must have rows if its style requires them", () => {
    const { codes, at, places } = found(
      { file: holdersFile, find: "  rows: items\n", put: "" },
      { file: tokensFile, find: "style: links }", put: "style: §links }" },
      { file: tokensFile, find: "per: item", put: "per: §item" },
      { file: tokensFile, find: "{ style: page, sizes", put: "{ style: §page, sizes" },
      { file: templateFile, find: "style: page", put: "style: §page" },
    );
    expect(codes).toEqual(["unpaged-response", "uncountable-cost", "unpaged-response", "unpaged-response"]);
    expect(at).toEqual([...places.filter(({ file }) => file === templateFile), ...places.filter(({ file }) => file === tokensFile)]);
  });

  it("that is a list has a cost per element", () => {
    expect(found({ file: logsFile, find: "per: block }", put: "per: item }\n    list: true" }).codes).toEqual([]);
  });
});

describe("objects", () => {
  it("that extend each other are reported once, with the cycle", () => {
    const { lines, at } = found({ file: holdersFile, find: "  rows: items\n", put: "  rows: items\n  extends: HolderPagesResponse\n" });
    expect(lines.map((line) => line.replace(/^\S+ /, ""))).toEqual([
      "circular-parent: the object extends itself: TokenHoldersResponse → HolderPagesResponse → TokenHoldersResponse; accepted: parents without a cycle",
    ]);
    // The edge that closes the cycle, in HolderPagesResponse.
    expect(at).toEqual([{ file: holdersFile, line: 12, column: 12 }]);
  });

  it("may contain themselves through a list or a nullable field", () => {
    const list = { file: logObjectsFile, find: "    text: {", put: '    logs: { type: "[Log]", description: The logs. }\n    text: {' };
    expect(found(list).codes).toEqual([]);
    expect(found({ ...list, put: "    log: { type: Log?, description: The log. }\n    text: {" }).codes).toEqual([]);
  });

  it("may redefine a parent's field with the same type", () => {
    expect(
      found({ file: holdersFile, find: "    links: {", put: '    items: { type: "[Holder]", description: One page. }\n    links: {' })
        .codes,
    ).toEqual([]);
  });
});

describe("files", () => {
  const without = (file: string) =>
    loadCatalog(new Map([...smallCatalog].filter(([name]) => name !== file))).diagnostics.map(renderDiagnostic);

  it("that are not part of the catalog are reported with the accepted ones", () => {
    const { diagnostics } = loadCatalog(new Map([...smallCatalog, ["spec/endpoint/more.yaml", "domain: tokens\n"]]));
    expect(diagnostics.map(renderDiagnostic)).toEqual([
      "spec/endpoint/more.yaml:1:1 unknown-file: this file is not part of the catalog; accepted: service.yaml, endpoints/*.yaml, objects/*.yaml, community/*.yaml",
    ]);
  });

  it("that are missing are reported without consequential diagnostics", () => {
    expect(without(serviceFile)).toEqual([
      expect.stringMatching(/^spec\/service\.yaml:1:1 missing-file: the catalog has no service\.yaml/),
    ]);
    expect(without(templateFile)).toContainEqual(expect.stringMatching(/^spec\/community\/template\.yaml:1:1 missing-file/));
  });
});
