import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repository } from "../model/catalogs.ts";

/** Runs a function with an empty folder and deletes it afterwards. */
export async function withFolder(run: (root: string) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "ashlar-generator-"));
  try {
    await run(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Runs a function with a folder that contains this repository's catalog. */
export async function withCatalog(run: (root: string) => Promise<void>): Promise<void> {
  await withFolder(async (root) => {
    await cp(join(repository, "spec"), join(root, "spec"), { recursive: true });
    await run(root);
  });
}

/** Writes a file and creates its parent folders. */
export async function writeTextFile(root: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}
