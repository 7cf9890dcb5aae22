import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Outcome, runCheck, runWrite } from "../../../../generator/output/run.ts";
import { withCatalog, writeTextFile } from "../../../support/generator/output/folders.ts";

const write = (root: string): Promise<Outcome> => runWrite(root, { stubs: false });
const edit = async (root: string, path: string, change: (text: string) => string): Promise<void> => {
  const text = await readFile(join(root, path), "utf8");
  const changed = change(text);
  if (changed === text) throw new Error(`The edit did not change ${path}`);
  await writeFile(join(root, path), changed);
};
const messagesOf = (outcome: Outcome): readonly string[] => ("messages" in outcome ? outcome.messages : []);
const lineOf = (text: string, part: string): number => text.slice(0, text.indexOf(part)).split("\n").length;

describe("a generator run", () => {
  it("writes every file; the check then finds no difference", () =>
    withCatalog(async (root) => {
      const outcome = await write(root);
      expect(outcome).toMatchObject({ kind: "written", changes: { deleted: [] }, stubs: [] });
      expect(await runCheck(root)).toEqual({ kind: "clean", fileCount: 21 });
    }));

  it("reports a changed line in a generated file, a missing file and an extra one", () =>
    withCatalog(async (root) => {
      await write(root);
      const routes = await readFile(join(root, "generated/routes.gen.ts"), "utf8");
      await edit(root, "generated/routes.gen.ts", (text) => text.replace('"/v1/chains/status/"', '"/v1/chains/state/"'));
      await rm(join(root, "generated/reference.md"));
      await writeTextFile(root, "generated/extra.ts", "");
      const line = lineOf(routes, '"/v1/chains/status/"');
      expect(messagesOf(await runCheck(root))).toEqual([
        "generated/extra.ts: not generated from this catalog",
        "generated/reference.md: missing",
        `generated/routes.gen.ts:${line}: expected "    \\"/v1/chains/status/\\",", found "    \\"/v1/chains/state/\\","`,
      ]);
    }));

  it("reports a changed cost in every file that contains it", () =>
    withCatalog(async (root) => {
      await write(root);
      await edit(root, "spec/endpoints/approvals.yaml", (text) => text.replace("credits: 2.00", "credits: 2.50"));
      const found = messagesOf(await runCheck(root));
      expect(found.map((finding) => finding.split(":")[0])).toEqual([
        "generated/manifest.json",
        "generated/openapi.json",
        "generated/openapi.yaml",
        "generated/operations.gen.ts",
        "generated/reference.md",
      ]);
      expect(found[3]).toMatch(/^generated\/operations\.gen\.ts:\d+: expected ".*hundredths: 250.*", found ".*hundredths: 200.*"$/);
    }));

  it("writes nothing from an invalid catalog and reports the position", () =>
    withCatalog(async (root) => {
      await edit(root, "spec/endpoints/approvals.yaml", (text) =>
        text.replace("response: ApprovalsResponse", "response: ApprovalResponse"),
      );
      const text = await readFile(join(root, "spec/endpoints/approvals.yaml"), "utf8");
      for (const outcome of [await write(root), await runCheck(root)]) {
        expect(outcome.kind).toBe("invalid-catalog");
        expect(messagesOf(outcome)[0]).toContain(`spec/endpoints/approvals.yaml:${lineOf(text, "ApprovalResponse")}:`);
      }
      await expect(readdir(join(root, "generated"))).rejects.toThrow("ENOENT");
    }));

  it("documents recorded responses, and rejects recordings for unknown operations or without data", () =>
    withCatalog(async (root) => {
      await write(root);
      const document = JSON.parse(await readFile(join(root, "generated/openapi.json"), "utf8"));
      const response = document.paths["/v1/chains/"].get.responses["200"].content["application/json"].example;
      response.data.items[0].label = "Recorded";
      await writeTextFile(root, "spec/examples/getAllChains.json", JSON.stringify(response));
      await write(root);
      expect(await readFile(join(root, "generated/openapi.json"), "utf8")).toContain('"label": "Recorded"');

      await writeTextFile(root, "spec/examples/getAllChain.json", "{}");
      await writeTextFile(root, "spec/examples/getBlock.json", "[]");
      const outcome = await write(root);
      expect(outcome.kind).toBe("invalid-catalog");
      expect(messagesOf(outcome)).toEqual([
        expect.stringMatching(/^spec\/examples\/getAllChain\.json:1:1: .* \(nearest: getAllChains\)$/),
        expect.stringContaining("spec/examples/getBlock.json:1:1"),
      ]);
    }));
});
