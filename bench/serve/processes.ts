import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** A server process. */
export interface ServerProcess {
  readonly id: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** On a busy machine, the workers of a server compete for CPU time while they start. */
const maxStartMilliseconds = 120_000;

/** Starts a server with its output in a log file, and waits until the log contains its address. @throws {Error} if it exits or does not listen. */
export async function startProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  logFile: string,
  program = process.execPath,
): Promise<ServerProcess> {
  const log = openSync(logFile, "w");
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", log, log] });
  closeSync(log);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let failure: Error | undefined;
  child.once("error", (error) => {
    failure = error;
  });
  const startedAt = performance.now();
  for (;;) {
    const port = /is listening at http:\/\/127\.0\.0\.1:(\d+);/.exec(readFileSync(logFile, "utf8"))?.[1];
    if (port !== undefined) {
      return {
        id: child.pid ?? 0,
        port: Number(port),
        async stop() {
          child.kill("SIGTERM");
          await exited;
        },
      };
    }
    const hasExited = failure !== undefined || child.exitCode !== null || child.signalCode !== null;
    if (hasExited || performance.now() - startedAt > maxStartMilliseconds) {
      child.kill("SIGKILL");
      throw new Error(`The server that logs to ${logFile} did not start: ${failure?.message ?? readFileSync(logFile, "utf8").slice(-500)}`);
    }
    await wait(50);
  }
}
