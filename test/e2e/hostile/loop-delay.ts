import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { until } from "../../support/until.ts";

/** An event loop's delay in milliseconds, and its process's peak resident memory. */
export interface LoopFigures {
  readonly p50: number;
  readonly p99: number;
  readonly p9999: number;
  readonly max: number;
  readonly count: number;
  readonly peakMegabytes: number;
}

const monitor = new URL("./monitor-loop.js", import.meta.url);

/** The environment for a measured process. */
export const monitorEnvironment = (file: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import=${monitor.href}`,
  ASHLAR_TEST_LOOP_FILE: file,
});

/** A monitored process's figures since the last call. */
export async function readLoop(pid: number, file: string): Promise<LoopFigures> {
  await rm(file, { force: true });
  process.kill(pid, "SIGUSR2");
  let figures: LoopFigures | undefined;
  await until("the figures of an event loop", async () => {
    figures = await readFile(file, "utf8").then(
      (text): LoopFigures => JSON.parse(text),
      () => undefined,
    );
    return figures !== undefined;
  });
  if (figures === undefined) throw new Error("Expected the figures of an event loop.");
  return figures;
}

/** Starts an idle process to measure the delays that the machine causes. */
export async function startControl(file: string): Promise<{ readonly pid: number; stop(): Promise<void> }> {
  const child = spawn(process.execPath, ["-e", "process.stdout.write('ready'); setInterval(() => undefined, 1000)"], {
    env: { ...process.env, ...monitorEnvironment(file) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
