import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hex } from "../../runtime/lib/hex.ts";
import type { Artifact } from "./artifact.ts";

interface Solc {
  compile(input: string, callbacks: { import(path: string): { contents: string } | { error: string } }): string;
}
interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { readonly abi: Artifact["abi"]; readonly evm: { readonly bytecode: { readonly object: string } } }>
  >;
}

const require = createRequire(import.meta.url);
const folder = fileURLToPath(new URL(".", import.meta.url));

/** Together with the compiler version, these settings determine the bytecode, and so every block hash of the story. */
const settings = {
  optimizer: {
    enabled: true,
    runs: 200,
    details: {
      ...{ peephole: true, inliner: true, jumpdestRemover: true, orderLiterals: true, deduplicate: true },
      ...{ cse: false, constantOptimizer: true, yul: false },
    },
  },
  evmVersion: "cancun",
  // By default the bytecode ends with a metadata hash, which depends on comments.
  metadata: { bytecodeHash: "none" },
};

const readSources = (): Record<string, { readonly content: string }> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.endsWith(".sol"))
      .sort()
      .map((name) => [name, { content: readFileSync(join(folder, name), "utf8") }]),
  );

/** Reads an import of a package; the files of this folder are part of the input. */
const readImport = (path: string): { contents: string } | { error: string } => {
  try {
    return { contents: readFileSync(require.resolve(path), "utf8") };
  } catch {
    return { error: `${path} is not installed` };
  }
};

/**
 * Compiles the contracts of this folder, which takes seconds; returns those that can be deployed, by name.
 * @throws {Error} with the compiler's first error
 */
export function compileContracts(): Readonly<Record<string, Artifact>> {
  const sources = readSources();
  // Excludes the contracts of packages.
  const outputSelection = Object.fromEntries(Object.keys(sources).map((name) => [name, { "*": ["abi", "evm.bytecode.object"] }]));
  const input = JSON.stringify({ language: "Solidity", sources, settings: { ...settings, outputSelection } });
  const { errors, contracts } = JSON.parse((require("solc") as Solc).compile(input, { import: readImport })) as SolcOutput;
  const failure = errors?.find(({ severity }) => severity === "error");
  if (failure !== undefined) throw new Error(`Failed to compile the demo's contracts: ${failure.formattedMessage}`);
  return Object.fromEntries(
    Object.values(contracts)
      .flatMap((found) => Object.entries(found))
      .map(([name, { abi, evm }]): [string, Artifact] => [name, { abi, bytecode: `0x${evm.bytecode.object}` as Hex }])
      .filter(([, { bytecode }]) => bytecode !== "0x")
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}
