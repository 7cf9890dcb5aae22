import { createRequire } from "node:module";
import type { Abi } from "viem";
import type { Artifact } from "./chain.ts";

interface Solc {
  compile(input: string): string;
}
interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }>
  >;
}

/** Compiles the contracts of a text, and gives them by name. */
export const compileSolidity = (source: string): ((name: string) => Artifact) => {
  const compiler = createRequire(import.meta.url)("solc") as Solc;
  const output = JSON.parse(
    compiler.compile(
      JSON.stringify({
        language: "Solidity",
        sources: { "test.sol": { content: source } },
        settings: { evmVersion: "cancun", outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
      }),
    ),
  ) as SolcOutput;
  const failure = output.errors?.find(({ severity }) => severity === "error");
  if (failure !== undefined) throw new Error(failure.formattedMessage);
  return (name) => {
    const contract = output.contracts["test.sol"]?.[name];
    if (contract === undefined) throw new Error(`There is no contract ${name}.`);
    return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
  };
};
