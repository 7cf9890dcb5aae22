import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Artifact } from "../chain.ts";
import { compileInput, contractNamed, solidityInput } from "../solidity.ts";
import { contractsDirectory } from "../story.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** The contracts of this folder. London's code runs on every later fork: one compilation serves both chains. */
export const compileOddities = (): Promise<(name: string) => Artifact> => compileFolder(folder, "london");

/** Compiles the contracts of a folder, once for each content of their sources, and returns a look-up by name. */
export async function compileFolder(folder: string, evmVersion: string): Promise<(name: string) => Artifact> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sol")).sort();
  const sources = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)),
  );
  const input = solidityInput(sources, evmVersion);
  const kept = join(contractsDirectory, `oddities-${createHash("sha256").update(input).digest("hex").slice(0, 16)}.json`);
  const artifacts = await readFile(kept, "utf8").then(
    (text) => JSON.parse(text) as Record<string, Artifact>,
    () => compileAndKeep(input, kept),
  );
  return contractNamed(artifacts);
}

async function compileAndKeep(input: string, file: string): Promise<Record<string, Artifact>> {
  const artifacts = compileInput(input);
  await mkdir(contractsDirectory, { recursive: true });
  // Tests that run at the same time may write it twice: each whole.
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(artifacts));
  await rename(draft, file);
  return artifacts;
}
