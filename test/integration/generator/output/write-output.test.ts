import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { generatedSentence } from "../../../../generator/emit/header.ts";
import { emitManifest, manifestPath } from "../../../../generator/emit/manifest.ts";
import { OutputError } from "../../../../generator/output/output-error.ts";
import { replaceFile, writeOutput } from "../../../../generator/output/write-output.ts";
import { put, withFolder } from "../../../support/generator/output/folders.ts";

const header = `// ${generatedSentence}\n`;

/** Generated files with their manifest. */
function generated(entries: Readonly<Record<string, string>>): Map<string, string> {
  const files = new Map(Object.entries(entries).map(([path, text]) => [path, header + text]));
  return files.set(manifestPath, emitManifest(files, "1.0.0"));
}

const read = (root: string, path: string): Promise<string> => readFile(join(root, path), "utf8");

describe("writing", () => {
  it("writes new files and, the second time, only changed ones", () =>
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

  it("never overwrites a file without the header, and writes nothing in that case", () =>
    withFolder(async (root) => {
      await put(root, "generated/b.ts", "export const mine = 1;\n");
      const attempt = writeOutput(root, generated({ "generated/a.ts": "1", "generated/b.ts": "2" }));
      await expect(attempt).rejects.toThrow(OutputError);
      await expect(attempt).rejects.toThrow(/^generated\/b\.ts: this file has no header of a generated file, so nothing was written/);
      expect(await readdir(join(root, "generated"))).toEqual(["b.ts"]);
      expect(await read(root, "generated/b.ts")).toBe("export const mine = 1;\n");
    }));

  it("deletes only files that the previous manifest lists", () =>
    withFolder(async (root) => {
      await writeOutput(root, generated({ "generated/a.ts": "1", "generated/old.ts": "1" }));
      await put(root, "generated/notes.md", "mine");
      await put(root, "generated/unlisted.ts", `${header}from elsewhere`);
      expect(await writeOutput(root, generated({ "generated/a.ts": "1" }))).toMatchObject({ deleted: ["generated/old.ts"] });
      expect((await readdir(join(root, "generated"))).toSorted()).toEqual(["a.ts", "manifest.json", "notes.md", "unlisted.ts"]);
    }));

  it("does not delete a listed file without the header", () =>
    withFolder(async (root) => {
      await writeOutput(root, generated({ "generated/a.ts": "1", "generated/old.ts": "1" }));
      await put(root, "generated/old.ts", "rewritten by hand");
      await expect(writeOutput(root, generated({ "generated/a.ts": "2" }))).rejects.toThrow("generated/old.ts");
      expect(await read(root, "generated/old.ts")).toBe("rewritten by hand");
      expect(await read(root, "generated/a.ts")).toBe(`${header}1`);
    }));

  it("ignores manifest paths outside of the repository", () =>
    withFolder(async (folder) => {
      const root = join(folder, "repository");
      await put(folder, "precious.ts", `${header}outside`);
      const planted = {
        _generated: generatedSentence,
        files: { "../precious.ts": {}, "generated/../../precious.ts": {}, [join(folder, "precious.ts")]: {} },
      };
      await put(root, manifestPath, JSON.stringify(planted));
      expect(await writeOutput(root, generated({ "generated/a.ts": "1" }))).toMatchObject({ deleted: [] });
      expect(await read(folder, "precious.ts")).toBe(`${header}outside`);
    }));

  it("treats an invalid manifest as empty", () =>
    withFolder(async (root) => {
      await put(root, manifestPath, `{ "_generated": "${generatedSentence.replaceAll('"', '\\"')}", "files": [`);
      expect((await writeOutput(root, generated({ "generated/a.ts": "1" }))).written).toContain(manifestPath);
    }));
});

describe("replacing a file", () => {
  it("shows readers the old text or the new one, never a part", () =>
    withFolder(async (root) => {
      const path = join(root, "large.txt");
      const texts = ["a", "b"].map((letter) => letter.repeat(2_000_000));
      await replaceFile(path, texts[0] ?? "");
      let over = false;
      const seen = new Set<string>();
      const reading = (async () => {
        while (!over) {
          const text = await readFile(path, "utf8");
          seen.add(`${text.length} ${new Set(text).size}`);
        }
      })();
      for (let round = 0; round < 40; round += 1) await replaceFile(path, texts[round % 2] ?? "");
      over = true;
      await reading;
      expect([...seen]).toEqual(["2000000 1"]);
    }));

  it("changes nothing if it fails", () =>
    withFolder(async (root) => {
      await mkdir(join(root, "taken", "below"), { recursive: true });
      await expect(replaceFile(join(root, "taken"), "text")).rejects.toThrow();
      expect(await readdir(root)).toEqual(["taken"]);
    }));
});
