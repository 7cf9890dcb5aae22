import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { buildModel } from "../../../../generator/model/build-model.ts";
import type { Handler } from "../../../../generator/model/model.ts";
import { findMissingResolvers, resolverPath } from "../../../../generator/scaffold/missing-resolvers.ts";
import { stubText } from "../../../../generator/scaffold/stub-text.ts";
import { writeStubs } from "../../../../generator/scaffold/write-stubs.ts";
import { endpoint, realCatalog, repository, smallCatalog } from "../../../support/generator/model/catalogs.ts";
import { withFolder, writeTextFile } from "../../../support/generator/output/folders.ts";

const catalog = smallCatalog([endpoint("getThings"), endpoint("getMoreThings"), endpoint("getLaterThings", { status: "planned" })]);

async function handlerOf(id: string): Promise<Handler> {
  const handler = buildModel(await realCatalog(), new Map()).handlers.find((candidate) => candidate.id === id);
  if (handler === undefined) throw new Error(`The model has no handler for ${id}`);
  return handler;
}

/** The compiler's diagnostics for a resolver's text at its path in this repository. */
async function diagnosticsOf(id: string, change: (text: string) => string = (text) => text): Promise<string[]> {
  const handler = await handlerOf(id);
  const path = join(repository, resolverPath(handler));
  const text = change(stubText(handler));
  const { config } = ts.readConfigFile(join(repository, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [path] }, ts.sys, repository);
  const host = ts.createCompilerHost({ ...options, incremental: false });
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === path || fileExists(name);
  host.getSourceFile = (name, version, ...others) =>
    name === path ? ts.createSourceFile(name, text, version) : getSourceFile(name, version, ...others);
  const program = ts.createProgram([path], { ...options, incremental: false }, host);
  const source = program.getSourceFile(path);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, "\n"),
  );
}

describe("resolver stubs", () => {
  it("are missing if a live operation's resolver file does not exist", () =>
    withFolder(async (root) => {
      await writeTextFile(root, "runtime/api/things/get-things.ts", "// mine\n");
      expect((await findMissingResolvers(root, catalog)).map(({ path }) => path)).toEqual(["runtime/api/things/get-more-things.ts"]);
    }));

  it("are written once, and leave existing files unchanged", () =>
    withFolder(async (root) => {
      const missing = await findMissingResolvers(root, catalog);
      await writeTextFile(root, "runtime/api/things/get-things.ts", "// written meanwhile\n");
      expect(await writeStubs(root, missing)).toEqual({
        stubs: ["runtime/api/things/get-more-things.ts"],
        updatedIndexPaths: ["runtime/api/things/index.ts"],
      });
      expect(await readFile(join(root, "runtime/api/things/get-things.ts"), "utf8")).toBe("// written meanwhile\n");
      expect(await findMissingResolvers(root, catalog)).toEqual([]);
      expect(await writeStubs(root, missing)).toEqual({ stubs: [], updatedIndexPaths: [] });
    }));

  it("are functions that respond with 501, formatted like other resolvers", async () => {
    const handler = await handlerOf("getBlock");
    expect(stubText(handler)).toBe(
      [
        'import { RequestError } from "../../lib/request-error.ts";',
        'import type { Handlers } from "../context.ts";',
        "",
        "/** One block: `/v1/{chainName}/block_v2/{blockHeight}/`. */",
        'export const getBlock: Handlers["getBlock"] = async () => {',
        '  throw new RequestError(501, "getBlock is not implemented yet.");',
        "};",
        "",
      ].join("\n"),
    );
    expect(dirname(resolverPath(handler))).toBe("runtime/api/ledger");
  });

  it("compile unchanged, but not with a wrong response type or an unknown operation", async () => {
    expect(await diagnosticsOf("getBlock")).toEqual([]);
    const wrongTypeDiagnostics = await diagnosticsOf("getBlock", (text) =>
      text.replace(/throw .*/, 'return { updated_at: 5, items: "none" };'),
    );
    expect(wrongTypeDiagnostics.join("\n")).toContain("not assignable");
    expect((await diagnosticsOf("getBlock", (text) => text.replace('["getBlock"]', '["getBlok"]'))).join("\n")).toContain("getBlok");
  });
});
