import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Catalog } from "../../../../generator/catalog/catalog.ts";
import { loadCatalog, readCatalogFiles } from "../../../../generator/catalog/load.ts";
import { generate } from "../../../../generator/emit/generate.ts";
import { hasGeneratedHeader } from "../../../../generator/emit/header.ts";
import { manifestPath, manifestPaths } from "../../../../generator/emit/manifest.ts";
import { endpoint, realCatalog, repository, smallCatalog } from "../../../support/generator/model/catalogs.ts";

describe("generate", () => {
  let catalog: Catalog;
  let files: Map<string, string>;
  beforeAll(async () => {
    catalog = await realCatalog();
    files = generate(catalog);
  });

  it("is deterministic", () => {
    expect(generate(catalog)).toEqual(files);
  });

  it("does not depend on the order of the catalog's files", async () => {
    const texts = await readCatalogFiles(join(repository, "spec"));
    const { catalog: reversed } = loadCatalog(new Map([...texts].reverse()));
    expect(reversed === null ? null : generate(reversed)).toEqual(files);
    const shuffled: Catalog = {
      ...catalog,
      operations: [...catalog.operations].reverse(),
      communityOperations: [...catalog.communityOperations].reverse(),
      objects: new Map([...catalog.objects].reverse()),
    };
    expect(generate(shuffled)).toEqual(files);
  });

  it("adds the generated header to every file, and ends lines with a line feed", () => {
    for (const [path, text] of files) {
      expect(hasGeneratedHeader(text), path).toBe(true);
      expect(text.endsWith("\n") && !text.endsWith("\n\n"), path).toBe(true);
      expect(text.includes("\r"), path).toBe(false);
    }
  });

  it("does not include the repository's path or the Node.js version", () => {
    for (const [path, text] of files) expect(text.includes(repository) || text.includes(process.version), path).toBe(false);
  });

  it("lists every other file in the manifest", () => {
    expect(manifestPaths(files.get(manifestPath) ?? "")).toEqual([...files.keys()].filter((path) => path !== manifestPath).sort());
  });

  it("writes a cost to the operations, the reference and the OpenAPI document", () => {
    const texts = generate(smallCatalog([endpoint("getThings", { cost: { credits: 2.5, per: "item" } })]));
    expect(texts.get("generated/operations.gen.ts")).toContain('cost: { hundredths: 250, per: "item" },');
    expect(texts.get("generated/reference.md")).toContain("2.50 per item");
    expect(JSON.parse(texts.get("generated/openapi.json") ?? "").paths["/v1/{chainName}/getthings/"].get["x-credit-cost"]).toEqual({
      credits: 2.5,
      per: "item",
    });
  });

  it("escapes catalog text in comments", () => {
    const summary = "Ends */ export const injected = 1; /*";
    const texts = generate(smallCatalog([endpoint("getThings", { summary })]));
    expect(texts.get("generated/requests.gen.ts")).toContain("Ends *\\/ export const injected = 1; /*");
    expect(texts.get("generated/requests.gen.ts")).not.toContain(summary);
    expect(texts.get("generated/client.gen.ts")).not.toContain(`/** ${summary}`);
  });

  it("documents every handler in the reference, with its parameters and fields", () => {
    const reference = files.get("generated/reference.md") ?? "";
    for (const operation of [...catalog.operations, ...catalog.communityOperations]) {
      expect(reference).toContain(`\n### ${operation.handler}\n`);
      expect(reference).toContain(`    GET ${operation.definition.path}\n`);
    }
    expect(reference).toContain("- At most one of `block-height` and `date` may be sent.");
    for (const name of catalog.objects.keys()) expect(reference).toContain(`\n### ${name}\n`);
  });
});
