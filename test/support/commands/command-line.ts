import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { program } from "../program.ts";

type ExitResult = number | NodeJS.Signals | null;

/** A running command. */
export interface RunningCommand {
  readonly child: ChildProcess;
  output(): string;
  /** The exit code, or the signal that killed the process. */
  readonly exited: Promise<ExitResult>;
}

/** Runs commands in a folder with a database. They inherit only `PATH` from this process's environment. */
export const createCommandRunner = (getContext: () => { readonly folder: string; readonly url: string }) => {
  const run = (args: readonly string[], environment: NodeJS.ProcessEnv = {}): RunningCommand => {
    const { folder, url } = getContext();
    const child = spawn(process.execPath, [program, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, DATABASE_URL: url, PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    child.stdout?.on("data", (part: Buffer) => (text += part.toString()));
    child.stderr?.on("data", (part: Buffer) => (text += part.toString()));
    const exited = once(child, "close").then(([code, signal]) => (code as number | null) ?? (signal as NodeJS.Signals | null));
    return { child, output: () => text, exited };
  };
  return {
    run,
    /** Returns the exit code and the output without the line that names the database. */
    runToExit: async (args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<[ExitResult, string]> => {
      const running = run(args, environment);
      return [await running.exited, running.output().replace(/^Database: .*\n/m, "")];
    },
  };
};
