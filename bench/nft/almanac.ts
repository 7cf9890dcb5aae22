import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Abi, Hex } from "viem";
import type { Artifact } from "../../test/support/chain.ts";

interface Solc {
  compile(input: string, callbacks: { import(path: string): { contents: string } | { error: string } }): string;
}
interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<
    Record<string, Readonly<Record<string, { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }>>>
  >;
}

const require = createRequire(import.meta.url);
const file = "almanac.sol";

/** Compiles the NFT contract in almanac.sol with the optimizer. */
export function compileAlmanac(): Artifact {
  const input = {
    language: "Solidity",
    sources: { [file]: { content: readFileSync(new URL(file, import.meta.url), "utf8") } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: "cancun",
      outputSelection: { [file]: { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const compiler = require("solc") as Solc;
  const output = JSON.parse(compiler.compile(JSON.stringify(input), { import: readImport })) as SolcOutput;
  const failure = output.errors?.find(({ severity }) => severity === "error");
  const contract = output.contracts[file]?.Almanac;
  if (failure !== undefined || contract === undefined)
    throw new Error(`Failed to compile almanac.sol: ${failure?.formattedMessage ?? "no output"}`);
  return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` as Hex };
}

const readImport = (path: string): { contents: string } => ({ contents: readFileSync(require.resolve(path), "utf8") });
