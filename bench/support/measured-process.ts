import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What a benchmark process writes to descriptor 3 when it is done. */
export interface Measured<T> {
  readonly result: T;
  /** Peak memory, including the loader of a script that is not compiled. */
  readonly megabytes: number;
}

/** Runs a benchmark script in a new process with one JSON argument. */
export function measureProcess<T>(script: URL, argument: object, nodeOptions: readonly string[] = []): Promise<Measured<T>> {
  const loader = script.pathname.endsWith(".ts") ? ["--import", "tsx"] : [];
  const args = [...nodeOptions, ...loader, fileURLToPath(script), JSON.stringify(argument)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit", "pipe"] });
  return resultOf<T>(child, script);
}

const resultOf = <T>(child: ChildProcess, script: URL): Promise<Measured<T>> => {
  let output = "";
  child.stdio[3]?.on("data", (part: Buffer) => {
    output += part.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(JSON.parse(output) as Measured<T>);
      else reject(new Error(`${script.pathname.split("/").at(-1)} exited with code ${code}.`));
    });
  });
};

/** Returns the argument of this benchmark process. */
export const readArgument = <T>(): T => JSON.parse(process.argv[2] ?? "null") as T;

/** Starts measuring this benchmark process. The returned function returns the wall and CPU time since then. */
export const startClock = (): (() => { readonly milliseconds: number; readonly cpuSeconds: number }) => {
  const started = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { milliseconds: performance.now() - started, cpuSeconds: (user + system) / 1e6 };
  };
};

/** Sends the result of this benchmark process to its parent. resourceUsage reports kilobytes. */
export function reportResult<T>(result: T): void {
  const kilobytes = peakKilobytes() ?? process.resourceUsage().maxRSS;
  writeSync(3, JSON.stringify({ result, megabytes: Math.round(kilobytes / 1024) } satisfies Measured<T>));
}

/** On Linux, maxRSS includes memory of the parent before exec; VmHWM (proc_pid_status(5)) is reset. */
const peakKilobytes = (): number | null => {
  if (process.platform !== "linux") return null;
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
  return line === null ? null : Number(line[1]);
};
