import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { compareText } from "../model/names.ts";
import { folderAtFilePathError } from "./output-error.ts";

/** The folder that only the generator writes. */
const generatedFolder = "generated";

/** The text of a file, or null if it does not exist. */
export async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    if (error.code === "ENOENT") return null;
    if (error.code === "EISDIR") throw folderAtFilePathError(path);
    throw error;
  }
}

/** Reads the files at the paths and all other files in the generator's folder. */
export async function readOutput(root: string, paths: Iterable<string>): Promise<Map<string, string>> {
  const all = [...new Set([...paths, ...(await generatedPaths(root))])].sort(compareText);
  const texts = await Promise.all(all.map((path) => readText(join(root, path))));
  return new Map(all.flatMap((path, index): [string, string][] => (typeof texts[index] === "string" ? [[path, texts[index]]] : [])));
}

async function generatedPaths(root: string): Promise<string[]> {
  const folder = join(root, generatedFolder);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${generatedFolder}${join(entry.parentPath, entry.name).slice(folder.length)}`.replaceAll("\\", "/"));
}
