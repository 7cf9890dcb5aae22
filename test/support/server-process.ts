import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { program } from "./program.ts";

/** A running `ashlar serve` process. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  output(): string;
  /** Resolves with the exit code, or the signal that killed the process. */
  readonly exited: Promise<number | NodeJS.Signals | null>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Additional command-line arguments. */
  readonly args?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** Another version's entry point; by default the compiled program. */
  readonly entry?: string;
}

/** Starts `ashlar serve` on a free port with a configuration file. @throws {Error} if it exits before it listens. */
export async function startServer(
  configFile: string,
  databaseUrl: string,
  { args = [], environment = {}, entry = program }: ServerOptions = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [entry, "serve", "--config", configFile, ...args], {
    env: { ...process.env, DATABASE_URL: databaseUrl, HOST: "127.0.0.1", PORT: "0", ASHLAR_LOG_LEVEL: "warn", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit").then(([code, signal]) => (code as number | null) ?? (signal as NodeJS.Signals | null));
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    const read = (part: Buffer) => {
      output += part.toString();
      const found = /is listening at (http:\S+?);/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", reject);
    child.once("close", (code, signal) => reject(new Error(`ashlar serve exited with ${signal ?? `code ${code}`}: ${output.slice(-500)}`)));
  });
  return {
    child,
    url,
    output: () => output,
    exited,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await exited;
    },
  };
}
