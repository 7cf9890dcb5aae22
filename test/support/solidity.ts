import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, posix } from "node:path";
import type { Abi, Hex } from "viem";
import { contractsDirectory } from "./cache.ts";
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
type Artifacts = Readonly<Record<string, Artifact>>;

/** The compiler's standard JSON input for sources by file name. */
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

const compile = (input: string): Artifacts => {
  const compiler = createRequire(import.meta.url)("solc") as Solc;
  const output = JSON.parse(compiler.compile(input)) as SolcOutput;
  const failure = output.errors?.find(({ severity }) => severity === "error");
  if (failure !== undefined) throw new Error(`Failed to compile contracts: ${failure.formattedMessage}`);
  return Object.fromEntries(
    Object.values(output.contracts).flatMap((contracts) =>
      Object.entries(contracts).map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` as Hex }] as const),
    ),
  );
};

const read = (file: string): Artifacts | null => {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Artifacts;
  } catch {
    return null;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Acquires a file's lock; returns false after a short wait if another process holds it. An exited process's lock is removed. */
const lock = (path: string): boolean => {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    try {
      const owner = readFileSync(path, "utf8");
      if (owner !== "" && !isAlive(Number(owner))) rmSync(path, { force: true });
    } catch {
      // The owner has just released it.
    }
    return false;
  }
};

/** An input's contracts by name, compiled once for all test workers: the result is stored in node_modules/.cache by the input's hash. */
export const compileInput = (input: string): Artifacts => {
  mkdirSync(contractsDirectory, { recursive: true });
  const file = join(contractsDirectory, `${createHash("sha256").update(input).digest("hex").slice(0, 16)}.json`);
  for (;;) {
    const compiled = read(file);
    if (compiled !== null) return compiled;
    if (!lock(`${file}.lock`)) continue;
    try {
      const artifacts = read(file) ?? compile(input);
      writeFileSync(`${file}.draft`, JSON.stringify(artifacts));
      renameSync(`${file}.draft`, file);
      return artifacts;
    } finally {
      rmSync(`${file}.lock`, { force: true });
    }
  }
};

/** Returns a lookup by name. @throws {Error} if there is no such contract. */
export const contractNamed =
  (artifacts: Artifacts) =>
  (name: string): Artifact => {
    const artifact = artifacts[name];
    if (artifact === undefined) throw new Error(`No contract ${name} was compiled`);
    return artifact;
  };

/** Returns a source and all sources that it imports from packages, by path. */
const withImports = (path: string, content: string, found: Record<string, string> = {}): Record<string, string> => {
  found[path] = content;
  for (const [, imported = ""] of content.matchAll(/import\s[^"]*"([^"]+)"/g)) {
    const target = imported.startsWith(".") ? posix.join(posix.dirname(path), imported) : imported;
    if (found[target] === undefined) withImports(target, readFileSync(createRequire(import.meta.url).resolve(target), "utf8"), found);
  }
  return found;
};

/** Compiles one source's contracts, which may import contracts from packages, and returns a lookup by name. */
export const compileWithPackages = (source: string): ((name: string) => Artifact) =>
  contractNamed(compileInput(solidityInput(withImports("test.sol", source), "cancun")));

/** Compiles one source's contracts and returns a lookup by name. */
export const compileSolidity = (source: string): ((name: string) => Artifact) =>
  contractNamed(compileInput(solidityInput({ "test.sol": source }, "cancun")));
