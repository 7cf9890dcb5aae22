import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Hex } from "../../runtime/lib/hex.ts";
import { demoUnavailable } from "../errors.ts";
import { writeAtomically } from "../write-atomically.ts";
import type { Artifact } from "./artifact.ts";
import { groupSources, type Sources } from "./compile-groups.ts";

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { readonly abi: Artifact["abi"]; readonly evm: { readonly bytecode: { readonly object: string } } }>
  >;
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

/** The compilers that run concurrently; a story needs all contracts before its first day. */
const compilers = 2;

const readSources = async (): Promise<Sources> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sol")).sort();
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)));
};

const requireCompiler = (): void => {
  try {
    require.resolve("@openzeppelin/contracts/package.json");
    require.resolve("solc/package.json");
  } catch {
    throw demoUnavailable("solc");
  }
};

const inputOf = (sources: Sources): string =>
  JSON.stringify({
    language: "Solidity",
    sources: Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }])),
    settings: {
      optimizer,
      evmVersion: "cancun",
      // By default the bytecode ends with a metadata hash, which depends on comments.
      metadata: { bytecodeHash: "none" },
      // Not that of the contracts in packages.
      outputSelection: Object.fromEntries(Object.keys(sources).map((name) => [name, { "*": ["abi", "evm.bytecode.object"] }])),
    },
  });

/** Runs a compiler in a thread of its own, which does not keep the process running. */
const compile = async (sources: Sources): Promise<Record<string, Artifact>> => {
  const worker = new Worker(new URL("./solc-worker.js", import.meta.url), { workerData: inputOf(sources) });
  worker.unref();
  // Rejects if the worker emits an error.
  const [reply] = (await once(worker, "message")) as [string];
  const { errors, contracts } = JSON.parse(reply) as SolcOutput;
  const failure = errors?.find((error) => error.severity === "error");
  if (failure !== undefined) throw new Error(`Failed to compile the demo's contracts: ${failure.formattedMessage}`);
  return Object.fromEntries(
    Object.values(contracts).flatMap((found) =>
      Object.entries(found).map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` as Hex }]),
    ),
  );
};

const compileAll = async (sources: Sources): Promise<Record<string, Artifact>> => {
  requireCompiler();
  return Object.assign({}, ...(await Promise.all(groupSources(sources, compilers).map(compile))));
};

/** The artifacts in the cache, or else compiled ones. */
const readOrCompile = async (cacheDirectory: string): Promise<Record<string, Artifact>> => {
  const sources = await readSources();
  const key = createHash("sha256").update(compilerVersion).update(inputOf(sources)).digest("hex").slice(0, 16);
  const cached = join(cacheDirectory, `contracts-${key}.json`);
  try {
    return JSON.parse(await readFile(cached, "utf8")) as Record<string, Artifact>;
  } catch {
    const artifacts = await compileAll(sources);
    await mkdir(cacheDirectory, { recursive: true });
    await writeAtomically(cached, JSON.stringify(artifacts));
    return artifacts;
  }
};

/** The compilations of this process that are running, by their cache directory. */
const running = new Map<string, Promise<Record<string, Artifact>>>();

const joinOrStart = (cacheDirectory: string): Promise<Record<string, Artifact>> => {
  const artifacts = running.get(cacheDirectory) ?? readOrCompile(cacheDirectory).finally(() => running.delete(cacheDirectory));
  running.set(cacheDirectory, artifacts);
  return artifacts;
};

/** Starts to compile the demo's contracts unless they are cached. A failure is thrown when they are needed; the process may exit before. */
export const prepareContracts = (cacheDirectory: string): void => void joinOrStart(cacheDirectory).catch(() => undefined);

/** Compiles the demo's contracts, cached by the hash of their sources; returns a lookup by contract name. @throws {DemoUnavailable} */
export const compileContracts = async (cacheDirectory: string): Promise<(name: string) => Artifact> => {
  const keepRunning = setInterval(() => undefined, 60_000);
  try {
    const artifacts = await joinOrStart(cacheDirectory);
    return (name) => {
      const artifact = artifacts[name];
      if (artifact === undefined) throw new Error(`The demo has no contract ${name}`);
      return artifact;
    };
  } finally {
    clearInterval(keepRunning);
  }
};
