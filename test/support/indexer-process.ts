import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChainConfig } from "../../runtime/config/config.ts";
import { program } from "./program.ts";

/** An `ashlar index` process that tests can kill. */
export interface IndexerProcess {
  readonly child: ChildProcess;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
  /** Sends SIGTERM and waits for the exit; returns the exit code. */
  stop(): Promise<number | null>;
  /** The output so far. */
  output(): string;
}

/** Starts `ashlar index` for one chain, with a configuration that is written into the folder. `entry` can be another version's entry point. */
export async function startIndexer(folder: string, chain: ChainConfig, databaseUrl: string, entry = program): Promise<IndexerProcess> {
  const file = join(folder, "ashlar.yaml");
  // JSON is YAML.
  await writeFile(file, JSON.stringify({ chains: [chain] }));
  const child = spawn(process.execPath, [entry, "index", "--config", file], {
    env: { ...process.env, DATABASE_URL: databaseUrl, ASHLAR_LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout?.on("data", (part: Buffer) => (text += part.toString()));
  child.stderr?.on("data", (part: Buffer) => (text += part.toString()));
  const exited = once(child, "exit");
  const terminate = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    child,
    kill: async () => void (await terminate("SIGKILL")),
    stop: () => terminate("SIGTERM"),
    output: () => text,
  };
}

/** Runs `ashlar audit` over everything that `startIndexer` has indexed, with its configuration. */
export function runAudit(folder: string, databaseUrl: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const parameters = [program, "audit", "--config", join(folder, "ashlar.yaml"), "--sample", "100000"];
  const child = spawn(process.execPath, parameters, {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (part: Buffer) => (output += part.toString()));
  child.stderr.on("data", (part: Buffer) => (output += part.toString()));
  return once(child, "exit").then(() => ({ code: child.exitCode, output }));
}
