import { describe, expect, it } from "vitest";
import { diagnostic } from "../../../../generator/catalog/diagnostics.ts";
import { renderDiagnostic, sortDiagnostics } from "../../../../runtime/declarations/diagnostics.ts";
import { nearest, renderExpected } from "../../../../runtime/declarations/nearest.ts";

const location = { file: "spec/endpoints/tokens.yaml", line: 12, column: 7 };

describe("a diagnostic", () => {
  it("is rendered on one line with its location, the problem, the expected values and the nearest one", () => {
    const reported = diagnostic("unknown-response", location, {
      name: "TokenHolderResponse",
      expected: ["TokenHoldersResponse", "BlockResponse"],
    });
    expect(renderDiagnostic(reported)).toBe(
      'spec/endpoints/tokens.yaml:12:7 unknown-response: Unknown response object "TokenHolderResponse": ' +
        "expected TokenHoldersResponse, BlockResponse (nearest: TokenHoldersResponse)",
    );
  });

  it("does not compile with an unknown code, without its data, or with another code's data", () => {
    // @ts-expect-error unknown code
    expect(() => diagnostic("unknown-colour", location, { name: "red", expected: [] })).toThrow();
    // @ts-expect-error missing data
    expect(() => diagnostic("unknown-response", location)).toThrow();
    // @ts-expect-error data of a different code
    expect(() => diagnostic("unknown-response", location, { row: 1, first: location })).toThrow();
  });

  it("is listed once, ordered by file, line and column", () => {
    const at = (file: string, line: number, column: number) => diagnostic("misplaced-class", { file, line, column });
    const diagnostics = [at("b", 1, 1), at("a", 10, 1), at("a", 9, 2), at("a", 9, 1), at("a", 9, 2)];
    expect(sortDiagnostics(diagnostics).map(({ file, line, column }) => [file, line, column])).toEqual([
      ["a", 9, 1],
      ["a", 9, 2],
      ["a", 10, 1],
      ["b", 1, 1],
    ]);
  });
});

describe("nearest", () => {
  it("returns the candidate with the fewest changed letters, regardless of case", () => {
    expect(nearest("page_size", ["page-number", "page-size", "no-spam"])).toBe("page-size");
    expect(nearest("tokenholdersresponse", ["TokenHoldersResponse", "BlockResponse"])).toBe("TokenHoldersResponse");
  });

  it("returns a longer name with the same beginning", () => {
    expect(nearest("chain", ["chainName"])).toBe("chainName");
  });

  it("returns null if more than half of the letters differ", () => {
    expect(nearest("colour", ["summary", "path"])).toBeNull();
    expect(nearest("colour", [])).toBeNull();
  });
});

describe("renderExpected", () => {
  it("lists a few names completely and in order", () => {
    expect(renderExpected("x", ["none", "page", "links"])).toBe("none, page, links");
    expect(renderExpected("x", [])).toBe("none");
  });

  it("lists the nearest of many names, followed by the number of other names", () => {
    const names = Array.from({ length: 20 }, (_, index) => `name${index}`);
    const text = renderExpected("name13", names);
    expect(text.startsWith("name13, ")).toBe(true);
    expect(text.endsWith(" and 12 more")).toBe(true);
  });
});
