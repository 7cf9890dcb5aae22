import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { catalogHeader } from "../../../../generator/emit/header.ts";
import { emitManifest, manifestPath } from "../../../../generator/emit/manifest.ts";
import { OutputError } from "../../../../generator/output/output-error.ts";
import { replaceFile, writeOutput } from "../../../../generator/output/write-output.ts";
import { withFolder, writeTextFile } from "../../../support/generator/output/folders.ts";

const header = `// ${catalogHeader}\n`;

/** Generated files with their manifest. */
function generated(entries: Readonly<Record<string, string>>): Map<string, string> {
  const files = new Map(Object.entries(entries).map(([path, text]) => [path, header + text]));
  return files.set(manifestPath, emitManifest(files, "1.0.0"));
}

const read = (root: string, path: string): Promise<string> => readFile(join(root, path), "utf8");

describe("writeOutput", () => {
  it("writes new files, and only changed ones in a second run", () =>
    withFolder(async (root) => {
      const first = await writeOutput(root, generated({ "generated/a.ts": "1", "generated/b.ts": "1" }));
      expect(first.written.toSorted()).toEqual(["generated/a.ts", "generated/b.ts", manifestPath]);
      const before = await stat(join(root, "generated/a.ts"));
      const second = await writeOutput(root, generated({ "generated/a.ts": "1", "generated/b.ts": "2" }));
      expect(second).toEqual({ written: ["generated/b.ts", manifestPath], deleted: [] });
      const after = await stat(join(root, "generated/a.ts"));
      expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
      expect(await read(root, "generated/b.ts")).toBe(`${header}2`);
      expect(await writeOutput(root, generated({ "generated/a.ts": "1", "generated/b.ts": "2" }))).toEqual({ written: [], deleted: [] });
    }));

  it("leaves no temporary files", () =>
    withFolder(async (root) => {
      await writeOutput(root, generated({ "generated/a.ts": "1" }));
      expect((await readdir(join(root, "generated"))).toSorted()).toEqual(["a.ts", "manifest.json"]);
    }));

  it("refuses to overwrite a file without the generated header, and writes nothing in that case", () =>
    withFolder(async (root) => {
      await writeTextFile(root, "generated/b.ts", "export const mine = 1;\n");
      const attempt = writeOutput(root, generated({ "generated/a.ts": "1", "generated/b.ts": "2" }));
      await expect(attempt).rejects.toThrow(OutputError);
      await expect(attempt).rejects.toThrow(
        /^Cannot overwrite generated\/b\.ts: expected the header of a generated file\. Nothing was written/,
      );
      expect(await readdir(join(root, "generated"))).toEqual(["b.ts"]);
      expect(await read(root, "generated/b.ts")).toBe("export const mine = 1;\n");
    }));

  it("deletes only files that the previous manifest lists", () =>
    withFolder(async (root) => {
      await writeOutput(root, generated({ "generated/a.ts": "1", "generated/old.ts": "1" }));
      await writeTextFile(root, "generated/notes.md", "mine");
      await writeTextFile(root, "generated/unlisted.ts", `${header}from elsewhere`);
      expect(await writeOutput(root, generated({ "generated/a.ts": "1" }))).toMatchObject({ deleted: ["generated/old.ts"] });
      expect((await readdir(join(root, "generated"))).toSorted()).toEqual(["a.ts", "manifest.json", "notes.md", "unlisted.ts"]);
    }));

  it("refuses to delete a listed file without the generated header", () =>
    withFolder(async (root) => {
      await writeOutput(root, generated({ "generated/a.ts": "1", "generated/old.ts": "1" }));
      await writeTextFile(root, "generated/old.ts", "rewritten by hand");
      await expect(writeOutput(root, generated({ "generated/a.ts": "2" }))).rejects.toThrow("generated/old.ts");
      expect(await read(root, "generated/old.ts")).toBe("rewritten by hand");
      expect(await read(root, "generated/a.ts")).toBe(`${header}1`);
    }));

  it("ignores manifest paths outside of the repository", () =>
    withFolder(async (folder) => {
      const root = join(folder, "repository");
      await writeTextFile(folder, "outside.ts", `${header}outside`);
      const edited = {
        _generated: catalogHeader,
        files: { "../outside.ts": {}, "generated/../../outside.ts": {}, [join(folder, "outside.ts")]: {} },
      };
      await writeTextFile(root, manifestPath, JSON.stringify(edited));
      expect(await writeOutput(root, generated({ "generated/a.ts": "1" }))).toMatchObject({ deleted: [] });
      expect(await read(folder, "outside.ts")).toBe(`${header}outside`);
    }));

  it("treats an invalid manifest as empty", () =>
    withFolder(async (root) => {
      await writeTextFile(root, manifestPath, `{ "_generated": "${catalogHeader.replaceAll('"', '\\"')}", "files": [`);
      expect((await writeOutput(root, generated({ "generated/a.ts": "1" }))).written).toContain(manifestPath);
    }));
});

describe("replaceFile", () => {
  it("replaces the text atomically", () =>
    withFolder(async (root) => {
      const path = join(root, "large.txt");
      const texts = ["a", "b"].map((letter) => letter.repeat(2_000_000));
      await replaceFile(path, texts[0] ?? "");
      let isFinished = false;
      const seen = new Set<string>();
      const reading = (async () => {
        while (!isFinished) {
          const text = await readFile(path, "utf8");
          seen.add(`${text.length} ${new Set(text).size}`);
        }
      })();
      for (let round = 0; round < 40; round += 1) await replaceFile(path, texts[round % 2] ?? "");
      isFinished = true;
      await reading;
      expect([...seen]).toEqual(["2000000 1"]);
    }));

  it("leaves the folder unchanged if it fails", () =>
    withFolder(async (root) => {
      await mkdir(join(root, "folder", "nested"), { recursive: true });
      await expect(replaceFile(join(root, "folder"), "text")).rejects.toThrow();
      expect(await readdir(root)).toEqual(["folder"]);
    }));
});
