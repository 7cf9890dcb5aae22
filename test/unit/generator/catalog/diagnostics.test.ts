import { describe, expect, it } from "vitest";
import { diagnostic, renderDiagnostic, sortDiagnostics } from "../../../../generator/catalog/diagnostics.ts";
import { nearest, renderAccepted } from "../../../../generator/catalog/nearest.ts";

const place = { file: "spec/endpoints/tokens.yaml", line: 12, column: 7 };

describe("a diagnostic", () => {
  it("is one line with its position, the error, the accepted values and the nearest spelling", () => {
    const reported = diagnostic("unknown-response", place, {
      name: "TokenHolderResponse",
      accepted: ["TokenHoldersResponse", "BlockResponse"],
    });
    expect(renderDiagnostic(reported)).toBe(
      'spec/endpoints/tokens.yaml:12:7 unknown-response: "TokenHolderResponse" is not a response object; ' +
        "accepted: TokenHoldersResponse, BlockResponse; nearest: TokenHoldersResponse",
    );
  });

  it("does not compile with an unknown code, without its data, or with other data", () => {
    // @ts-expect-error no such code
    expect(() => diagnostic("unknown-colour", place, { name: "red", accepted: [] })).toThrow();
    // @ts-expect-error the data is missing
    expect(() => diagnostic("unknown-response", place)).toThrow();
    // @ts-expect-error another code's data
    expect(() => diagnostic("unknown-response", place, { row: 1, first: place })).toThrow();
  });

  it("is sorted by file, line and column, without duplicates", () => {
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

describe("the nearest spelling", () => {
  it("is the candidate with the fewest changed letters, regardless of case", () => {
    expect(nearest("page_size", ["page-number", "page-size", "no-spam"])).toBe("page-size");
    expect(nearest("tokenholdersresponse", ["TokenHoldersResponse", "BlockResponse"])).toBe("TokenHoldersResponse");
  });

  it("may be a longer name with the same beginning", () => {
    expect(nearest("chain", ["chainName"])).toBe("chainName");
  });

  it("is null if more than half of the letters differ", () => {
    expect(nearest("colour", ["summary", "path"])).toBeNull();
    expect(nearest("colour", [])).toBeNull();
  });
});

describe("accepted values", () => {
  it("are listed in full and in order if they are few", () => {
    expect(renderAccepted("x", ["none", "page", "links"])).toBe("none, page, links");
    expect(renderAccepted("x", [])).toBe("none");
  });

  it("are listed from the nearest one on if they are many, with the number of the others", () => {
    const names = Array.from({ length: 20 }, (_, index) => `name${index}`);
    const text = renderAccepted("name13", names);
    expect(text.startsWith("name13, ")).toBe(true);
    expect(text.endsWith(" and 12 more")).toBe(true);
  });
});
