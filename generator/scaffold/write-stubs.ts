import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { MissingResolver } from "./missing-resolvers.ts";
import { registerResolver } from "./register-resolver.ts";
import { stubText } from "./stub-text.ts";

/** The paths of the written stubs and of the index files in which they were registered. */
export interface WrittenStubs {
  readonly stubs: readonly string[];
  readonly updatedIndexPaths: readonly string[];
}

/** Writes stubs for missing resolvers and registers them in their folder's index; existing files are not changed. */
export async function writeStubs(root: string, missing: readonly MissingResolver[]): Promise<WrittenStubs> {
  const stubs: string[] = [];
  const updatedIndexPaths = new Set<string>();
  for (const { path, handler } of missing) {
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true });
    if (!(await writeNew(target, stubText(handler)))) continue;
    stubs.push(path);
    const index = await registerResolver(root, handler);
    if (index !== null) updatedIndexPaths.add(index);
  }
  return { stubs, updatedIndexPaths: [...updatedIndexPaths] };
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
