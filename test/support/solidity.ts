import { createRequire } from "node:module";
import type { Abi, Hex } from "viem";
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

/** Texts as the compiler takes them, by the names of their files. */
export const solidityInput = (sources: Readonly<Record<string, string>>, evmVersion: string): string =>
  JSON.stringify({
    language: "Solidity",
    sources: Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }])),
    settings: {
      evmVersion,
      metadata: { bytecodeHash: "none" },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  });

/** All contracts of an input, by name. */
export const compileInput = (input: string): Record<string, Artifact> => {
  const compiler = createRequire(import.meta.url)("solc") as Solc;
  const output = JSON.parse(compiler.compile(input)) as SolcOutput;
  const failure = output.errors?.find(({ severity }) => severity === "error");
  if (failure !== undefined) throw new Error(`The contracts do not compile: ${failure.formattedMessage}`);
  return Object.fromEntries(
    Object.values(output.contracts).flatMap((contracts) =>
      Object.entries(contracts).map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` as Hex }] as const),
    ),
  );
};

/** A look-up by name that fails where there is none. */
export const contractNamed =
  (artifacts: Readonly<Record<string, Artifact>>) =>
  (name: string): Artifact => {
    const artifact = artifacts[name];
    if (artifact === undefined) throw new Error(`There is no contract ${name}.`);
    return artifact;
  };

/** Compiles the contracts of a text, and gives them by name. */
export const compileSolidity = (source: string): ((name: string) => Artifact) =>
  contractNamed(compileInput(solidityInput({ "test.sol": source }, "cancun")));
