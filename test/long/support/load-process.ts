import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { LoadResult, OpenLoop } from "../load/open-loop.ts";

/** A process that sends requests at a rate. */
export interface LoadProcess {
  /** Runs one load at a time. */
  run(load: OpenLoop): Promise<LoadResult>;
  stop(): Promise<void>;
}

/** Starts the process; it then waits for loads. */
export function startLoadProcess(): LoadProcess {
  const child = fork(fileURLToPath(new URL("../load/main.ts", import.meta.url)), { execArgv: ["--import", "tsx"], stdio: "inherit" });
  const exited = once(child, "exit");
  return {
    async run(load) {
      child.send(load);
      const [result] = (await Promise.race([once(child, "message"), exited.then(() => [null])])) as [LoadResult | null];
      if (result === null) throw new Error(`The load process exited with code ${child.exitCode}.`);
      return result;
    },
    async stop() {
      child.kill();
      await exited;
    },
  };
}

/** Responses with status 200 per second. */
export const goodputOf = ({ statuses, milliseconds }: LoadResult): number => ((statuses[200] ?? 0) * 1000) / milliseconds;
