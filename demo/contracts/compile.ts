import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hex } from "../../runtime/lib/hex.ts";
import { demoUnavailable } from "../errors.ts";
import { writeAtomically } from "../write-atomically.ts";
import type { Artifact } from "./artifact.ts";

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { readonly abi: Artifact["abi"]; readonly evm: { readonly bytecode: { readonly object: string } } }>
  >;
}
interface Solc {
  compile(input: string, callbacks: { import(path: string): { contents: string } | { error: string } }): string;
}

const require = createRequire(import.meta.url);
const folder = fileURLToPath(new URL(".", import.meta.url));
// The compiler's version determines the bytecode and so every block hash of the story.
const compilerVersion = "0.8.30";

/** The cheap steps of the optimizer: the others take twice the time of all else, and a first start of the demo waits for the compiler. */
const optimizer = {
  enabled: true,
  runs: 200,
  details: {
    ...{ peephole: true, inliner: true, jumpdestRemover: true, orderLiterals: true, deduplicate: true },
    ...{ cse: false, constantOptimizer: true, yul: false },
  },
};

const readSources = async (): Promise<Record<string, { content: string }>> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sol")).sort();
  const entries = names.map(async (name) => [name, { content: await readFile(join(folder, name), "utf8") }] as const);
  return Object.fromEntries(await Promise.all(entries));
};

const readImport = (path: string): { contents: string } | { error: string } => {
  try {
    return { contents: readFileSync(require.resolve(path), "utf8") };
  } catch {
    return { error: `${path} is not installed` };
  }
};

const loadCompiler = (): Solc => {
  try {
    require.resolve("@openzeppelin/contracts/package.json");
    return require("solc") as Solc;
  } catch {
    throw demoUnavailable("solc");
  }
};

const compile = (input: string): Record<string, Artifact> => {
  const output = JSON.parse(loadCompiler().compile(input, { import: readImport })) as SolcOutput;
  const failure = output.errors?.find((error) => error.severity === "error");
  if (failure !== undefined) throw new Error(`Failed to compile the demo's contracts: ${failure.formattedMessage}`);
  const demoContracts = Object.entries(output.contracts).filter(([file]) => !file.startsWith("@"));
  return Object.fromEntries(
    demoContracts.flatMap(([, contracts]) =>
      Object.entries(contracts).map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` as Hex }]),
    ),
  );
};

/** Compiles the demo's contracts, cached by the hash of their sources; returns a lookup by contract name. @throws {DemoUnavailable} */
export const compileContracts = async (cacheDirectory: string): Promise<(name: string) => Artifact> => {
  const input = JSON.stringify({
    language: "Solidity",
    sources: await readSources(),
    settings: {
      optimizer,
      evmVersion: "cancun",
      // By default the bytecode ends with a metadata hash, which depends on comments.
      metadata: { bytecodeHash: "none" },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  });
  const key = createHash("sha256").update(compilerVersion).update(input).digest("hex").slice(0, 16);
  const cached = join(cacheDirectory, `contracts-${key}.json`);
  let artifacts: Record<string, Artifact>;
  try {
    artifacts = JSON.parse(await readFile(cached, "utf8")) as Record<string, Artifact>;
  } catch {
    artifacts = compile(input);
    await mkdir(cacheDirectory, { recursive: true });
    await writeAtomically(cached, JSON.stringify(artifacts));
  }
  return (name) => {
    const artifact = artifacts[name];
    if (artifact === undefined) throw new Error(`The demo has no contract ${name}`);
    return artifact;
  };
};
