import type { ChildProcess } from "node:child_process";

/** A child process that can be started before its work is known, so that it can load its modules in the meantime. */
export interface PreparedProcess {
  /** Starts the process; only the first call has an effect. */
  prepare(): void;
  /** The prepared process, or a new one if there is none. */
  fork(): ChildProcess;
  /** Kills a prepared process that was not used. */
  discard(): void;
}

export function createPreparedProcess(fork: () => ChildProcess): PreparedProcess {
  let prepared: ChildProcess | undefined;
  let isPrepared = false;
  return {
    prepare() {
      if (!isPrepared) prepared = fork();
      isPrepared = true;
    },
    fork() {
      const taken = prepared;
      prepared = undefined;
      return taken === undefined || taken.exitCode !== null || taken.signalCode !== null ? fork() : taken;
    },
    discard() {
      prepared?.kill("SIGKILL");
      prepared = undefined;
    },
  };
}
