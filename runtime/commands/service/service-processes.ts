import { extname } from "node:path";
import { forkProcess } from "../../cluster/fork-process.ts";
import { createPreparedProcess, type PreparedProcess } from "../../cluster/prepared-process.ts";
import type { ChildProcessCounts } from "../pool-sizes.ts";
import type { ServiceLog } from "./service-log.ts";

/** A service's processes. */
export interface ServiceProcesses {
  readonly workers: readonly (PreparedProcess & { readonly name: string })[];
  readonly indexer: PreparedProcess;
  readonly counts: ChildProcessCounts;
  /** Starts the first `count` processes before their work is known, the indexer before the workers; all by default. */
  prepare(count?: number): void;
  /** Kills the processes that were not used. */
  discard(): void;
}

/** A module beside this one, with its extension, .ts or .js. */
const scriptOf = (name: string): URL => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);

/** Creates the processes of a service with this many workers. They write to its log. */
export function createServiceProcesses(workerCount: number, log: ServiceLog): ServiceProcesses {
  const createProcess = (script: string, name: string): PreparedProcess & { readonly name: string } => ({
    name,
    ...createPreparedProcess(() => forkProcess(scriptOf(script), [], (line) => log.write(name, line))),
  });
  const indexer = createProcess("indexer", "indexer");
  const workers = Array.from({ length: workerCount }, (_, index) =>
    createProcess("worker", workerCount === 1 ? "server" : `worker ${index + 1}`),
  );
  return {
    workers,
    indexer,
    counts: { workerCount, indexerCount: 1 },
    prepare(count) {
      for (const { prepare } of [indexer, ...workers].slice(0, count)) prepare();
    },
    discard() {
      for (const { discard } of [indexer, ...workers]) discard();
    },
  };
}
