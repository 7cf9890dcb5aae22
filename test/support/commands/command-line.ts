import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { program } from "../program.ts";

type Ending = number | NodeJS.Signals | null;

/** A running command. */
export interface Run {
  readonly child: ChildProcess;
  output(): string;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<Ending>;
}

/** Runs commands in a folder with a database; they inherit nothing else of this process's environment. */
export const commandLineIn = (place: () => { readonly folder: string; readonly url: string }) => {
  const run = (args: readonly string[], environment: NodeJS.ProcessEnv = {}): Run => {
    const { folder, url } = place();
    const child = spawn(process.execPath, [program, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, DATABASE_URL: url, PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    child.stdout?.on("data", (part: Buffer) => (text += part.toString()));
    child.stderr?.on("data", (part: Buffer) => (text += part.toString()));
    const ended = once(child, "close").then(([code, signal]) => (code as number | null) ?? (signal as NodeJS.Signals | null));
    return { child, output: () => text, ended };
  };
  return {
    run,
    /** Returns the exit code and the output without the line that names the database. */
    outcome: async (args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<[Ending, string]> => {
      const running = run(args, environment);
      return [await running.ended, running.output().replace(/^Database: .*\n/m, "")];
    },
  };
};
