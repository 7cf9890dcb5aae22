import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Artifact } from "../chain.ts";
import { compileInput, contractNamed, solidityInput } from "../solidity.ts";

const edgeCasesFolder = fileURLToPath(new URL(".", import.meta.url));

/** Compiles this folder's contracts. They target London; the code runs on later forks too. */
export const compileEdgeCases = (): Promise<(name: string) => Artifact> => compileFolder(edgeCasesFolder, "london");

/** Compiles a folder's contracts and returns a lookup by name. */
export async function compileFolder(folder: string, evmVersion: string): Promise<(name: string) => Artifact> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sol")).sort();
  const sources = names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const);
  return contractNamed(compileInput(solidityInput(Object.fromEntries(await Promise.all(sources)), evmVersion)));
}
