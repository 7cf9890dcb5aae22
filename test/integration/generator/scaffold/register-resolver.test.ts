import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { registerResolver } from "../../../../generator/scaffold/register-resolver.ts";
import { withFolder, writeTextFile } from "../../../support/generator/output/folders.ts";

const index = "runtime/api/things/index.ts";
const textOf = (root: string): Promise<string> => readFile(join(root, index), "utf8");

/** An index that was edited manually: it has comments, a helper and an unusual layout. */
const existing = `import type { Handlers } from "../context.ts";
import { getApples } from "./get-apples.ts";
import { getPears } from "./get-pears.ts"; // kept: see issue

/** Ours. */
const counted =   1 ;

/** The operations of things. */
export const thingsHandlers = {
  getApples,
  // Pears come last.
  getPears,
} satisfies Partial<Handlers>;
export { counted };
`;

describe("registerResolver", () => {
  it("adds an import and an entry in alphabetical order and keeps every other line", () =>
    withFolder(async (root) => {
      await writeTextFile(root, index, existing);
      expect(await registerResolver(root, { id: "getBananas", domain: "things" })).toBe(index);
      const lines = (await textOf(root)).split("\n");
      const added = lines.filter((line) => line.includes("getBananas"));
      expect(added).toEqual(['import { getBananas } from "./get-bananas.ts";', "  getBananas,"]);
      expect(lines.filter((line) => !line.includes("getBananas")).join("\n")).toBe(existing);
      expect(lines.indexOf(added[0] ?? "")).toBe(2);
      expect(lines.indexOf("  getBananas,")).toBe(lines.indexOf("  getApples,") + 1);
    }));

  it("changes nothing if the resolver is already registered", () =>
    withFolder(async (root) => {
      await writeTextFile(root, index, existing);
      expect(await registerResolver(root, { id: "getPears", domain: "things" })).toBeNull();
      expect(await textOf(root)).toBe(existing);
    }));

  it("creates a new domain's index", () =>
    withFolder(async (root) => {
      expect(await registerResolver(root, { id: "getThings", domain: "things" })).toBe(index);
      expect(await registerResolver(root, { id: "getMoreThings", domain: "things" })).toBe(index);
      expect(await textOf(root)).toBe(
        [
          'import type { Handlers } from "../context.ts";',
          'import { getMoreThings } from "./get-more-things.ts";',
          'import { getThings } from "./get-things.ts";',
          "",
          "/** The operations of things. */",
          "export const thingsHandlers = {",
          "  getMoreThings,",
          "  getThings,",
          "} satisfies Partial<Handlers>;",
          "",
        ].join("\n"),
      );
    }));

  it("rejects an index without the exported object, and names the resolver and the object", () =>
    withFolder(async (root) => {
      await writeTextFile(root, index, "export const other = {};\n");
      await expect(registerResolver(root, { id: "getThings", domain: "things" })).rejects.toThrow(
        'Cannot register getThings: runtime/api/things/index.ts does not export an object "thingsHandlers".',
      );
      expect(await textOf(root)).toBe("export const other = {};\n");
    }));
});
