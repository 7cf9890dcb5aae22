import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { bundledFiles } from "../../../../generator/emit/bundle.ts";
import { hasGeneratedHeader } from "../../../../generator/emit/header.ts";

describe("bundled files", () => {
  it("equal their sources except for the generated header and import extensions", async () => {
    expect([...bundledFiles.keys()]).toEqual([
      "generated/envelope.gen.ts",
      "generated/parsers.gen.ts",
      "generated/request-reader.gen.ts",
      "generated/transport.gen.ts",
    ]);
    for (const [path, text] of bundledFiles) {
      const file = path.replace("generated/", "generator/bundle/").replace(".gen.ts", ".ts");
      expect(hasGeneratedHeader(text)).toBe(true);
      expect(text.split("\n")[0]).toContain(file);
      const source = await readFile(file, "utf8");
      expect(text.split("\n").slice(2).join("\n").replaceAll('.gen.ts"', '.ts"')).toBe(source);
      for (const [, specifier = ""] of text.matchAll(/from "([^"]+)"/g)) {
        expect(bundledFiles.has(specifier.replace("./", "generated/")), specifier).toBe(true);
      }
    }
  });
});
