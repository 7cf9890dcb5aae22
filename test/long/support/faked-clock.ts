import { existsSync, writeFileSync } from "node:fs";

/** Debian's package `faketime`. */
const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

/** Whether the library that fakes the clock of processes is installed. */
export const hasFakedClock = (): boolean => existsSync(library);

/** The environment of processes whose system clock `setClock` changes; their monotonic clock continues, as that of a machine does. */
export const fakedClock = (file: string): NodeJS.ProcessEnv => ({
  LD_PRELOAD: library,
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_CACHE_DURATION: "1",
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
  DONT_FAKE_MONOTONIC: "1",
  // Times that a process gives to files are those that it sees.
  FAKE_UTIME: "1",
});

/** Sets the clock of the processes with that environment, relative to that of the machine. */
export const setClock = (file: string, seconds: number): void => writeFileSync(file, `${seconds < 0 ? "" : "+"}${seconds}\n`);
