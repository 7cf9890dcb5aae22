import { type ChildProcess, fork } from "node:child_process";
import { extname } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Messages that Node.js sends in watch mode (`node --watch`): the files that the process has loaded. */
const isWatchReport = (message: unknown): boolean =>
  typeof message === "object" && message !== null && Object.keys(message).some((name) => name.startsWith("watch:"));

/** In a clone, the TypeScript sources are run, so a child process needs the loader that this process has registered. */
const loaderOf = (script: URL): string[] =>
  extname(script.pathname) === ".ts" && !process.execArgv.some((text) => text.includes("tsx"))
    ? ["--import", import.meta.resolve("tsx/esm")]
    : [];

/**
 * Starts one of the program's modules as a child process with a channel. The child is killed when this process exits; each line of its standard error is
 * passed to `onLine`.
 */
export function forkProcess(script: URL, args: readonly string[], onLine: (line: string) => void): ChildProcess {
  const child = fork(fileURLToPath(script), [...args], {
    execArgv: [...process.execArgv, ...loaderOf(script)],
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.on("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  // Nothing to do: a process that cannot be started or signalled also emits `exit`, or calls to it fail.
  child.on("error", () => undefined);
  child.on("message", (message) => {
    if (isWatchReport(message)) process.send?.(message);
  });
  if (child.stderr !== null) createInterface({ input: child.stderr }).on("line", onLine);
  return child;
}
