import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What a process of a benchmark says on its fourth descriptor when it has ended its work. */
export interface Measured<T> {
  readonly result: T;
  /** Peak of what it held; of a script that is not compiled, with its loader. */
  readonly megabytes: number;
}

/** Runs a script of the benchmarks as a process of its own, with one JSON argument. */
export function measureProcess<T>(script: URL, argument: object, nodeOptions: readonly string[] = []): Promise<Measured<T>> {
  const loader = script.pathname.endsWith(".ts") ? ["--import", "tsx"] : [];
  const words = [...nodeOptions, ...loader, fileURLToPath(script), JSON.stringify(argument)];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "inherit", "inherit", "pipe"] });
  return answerOf<T>(child, script);
}

const answerOf = <T>(child: ChildProcess, script: URL): Promise<Measured<T>> => {
  let said = "";
  child.stdio[3]?.on("data", (part: Buffer) => {
    said += part.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(JSON.parse(said) as Measured<T>);
      else reject(new Error(`${script.pathname.split("/").at(-1)} ended with ${code}.`));
    });
  });
};

/** In the process: its one argument. */
export const argumentOf = <T>(): T => JSON.parse(process.argv[2] ?? "null") as T;

/** In the process: starts the clock, and gives what was taken since. */
export const startClock = (): (() => { readonly milliseconds: number; readonly processorSeconds: number }) => {
  const started = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { milliseconds: performance.now() - started, processorSeconds: (user + system) / 1e6 };
  };
};

/** In the process: hands the result over. resourceUsage counts in kilobytes. */
export function answer<T>(result: T): void {
  const kilobytes = peakKilobytes() ?? process.resourceUsage().maxRSS;
  writeSync(3, JSON.stringify({ result, megabytes: Math.round(kilobytes / 1024) } satisfies Measured<T>));
}

/** Linux counts into maxRSS what the starting process held before the new program was there; VmHWM (proc_pid_status(5)) begins anew. */
const peakKilobytes = (): number | null => {
  if (process.platform !== "linux") return null;
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
  return line === null ? null : Number(line[1]);
};
