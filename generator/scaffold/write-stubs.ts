import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { MissingStub } from "./missing-stubs.ts";
import { stubText } from "./stub-text.ts";

/** Writes the stubs of missing resolvers; a file that is there by now stays as it is. Gives the paths written. */
export async function writeStubs(root: string, missing: readonly MissingStub[]): Promise<string[]> {
  const written: string[] = [];
  for (const { path, handler } of missing) {
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true });
    if (await writeNew(target, stubText(handler))) written.push(path);
  }
  return written;
}

async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
