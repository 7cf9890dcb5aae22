import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Abi, Hex } from "viem";
import type { Artifact } from "../chain.ts";
import { contractsDirectory } from "../story.ts";

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }>
  >;
}

const require = createRequire(import.meta.url);
const folder = fileURLToPath(new URL(".", import.meta.url));

/** The contracts of this folder, compiled once for each content of their sources; gives a look-up by name. */
export async function compileOddities(): Promise<(name: string) => Artifact> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sol")).sort();
  const sources = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, { content: await readFile(join(folder, name), "utf8") }] as const)),
  );
  const input = JSON.stringify({
    language: "Solidity",
    sources,
    // London's code runs on every later fork: one compilation serves both chains.
    settings: {
      evmVersion: "london",
      metadata: { bytecodeHash: "none" },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  });
  const kept = join(contractsDirectory, `oddities-${createHash("sha256").update(input).digest("hex").slice(0, 16)}.json`);
  const artifacts = await readFile(kept, "utf8").then(
    (text) => JSON.parse(text) as Record<string, Artifact>,
    () => compileAndKeep(input, kept),
  );
  return (name) => {
    const artifact = artifacts[name];
    if (artifact === undefined) throw new Error(`There is no contract ${name}.`);
    return artifact;
  };
}

async function compileAndKeep(input: string, file: string): Promise<Record<string, Artifact>> {
  const { compile } = require("solc") as { compile(input: string): string };
  const output = JSON.parse(compile(input)) as Output;
  const failure = output.errors?.find(({ severity }) => severity === "error");
  if (failure !== undefined) throw new Error(`The contracts do not compile: ${failure.formattedMessage}`);
  const artifacts = Object.fromEntries(
    Object.values(output.contracts).flatMap((contracts) =>
      Object.entries(contracts).map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` as Hex }] as const),
    ),
  );
  await mkdir(contractsDirectory, { recursive: true });
  // Tests that run at the same time may write it twice: each whole.
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(artifacts));
  await rename(draft, file);
  return artifacts;
}
