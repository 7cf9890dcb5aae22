import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, normalize } from "node:path";
import { hasGeneratedHeader } from "../emit/header.ts";
import { manifestPath, manifestPaths } from "../emit/manifest.ts";
import { foreignFilesError } from "./output-error.ts";
import { readOutput, readText } from "./read-output.ts";

/** The paths of the files that a run changed. */
export interface WriteResult {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
}

/**
 * Writes the changed files atomically, the manifest last; then deletes the files that the previous manifest lists and that are no longer generated.
 * @throws {OutputError} if a file without the generated header would be overwritten; nothing is written in that case.
 */
export async function writeOutput(root: string, files: ReadonlyMap<string, string>): Promise<WriteResult> {
  const listed = manifestPaths((await readText(join(root, manifestPath))) ?? "").filter(isInside);
  const found = await readOutput(root, [...files.keys(), ...listed]);
  const changed = [...files].filter(([path, text]) => found.get(path) !== text);
  const outdated = listed.filter((path) => !files.has(path) && found.has(path));

  const foreign = [...changed.map(([path]) => path), ...outdated].filter(
    (path) => !hasGeneratedHeader(found.get(path) ?? "") && found.has(path),
  );
  if (foreign.length > 0) throw foreignFilesError(foreign);

  const manifestLast = [...changed].sort(([left], [right]) => Number(left === manifestPath) - Number(right === manifestPath));
  for (const [path, text] of manifestLast) await replaceFile(join(root, path), text);
  for (const path of outdated) await rm(join(root, path));
  return { written: changed.map(([path]) => path), deleted: outdated };
}

/** Whether a path is inside the repository; a manifest may have been edited, so other paths are ignored. */
function isInside(path: string): boolean {
  const normalized = normalize(path);
  return normalized !== "" && !normalized.startsWith("..") && !normalized.startsWith("/") && !/^[A-Za-z]:/.test(normalized);
}

/** Replaces a file. Readers see either the old text or the new one: a rename within a folder is atomic (POSIX.1, rename). */
export async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${process.pid}.tmp`);
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
