import { existsSync, writeFileSync } from "node:fs";

/** Debian's package `faketime`. */
const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

/** Whether the library that fakes process clocks is installed. */
export const isFaketimeInstalled = (): boolean => existsSync(library);

/** The environment for processes with a system clock that `setClock` changes. Their monotonic clock is not affected, as on a real machine. */
export const fakeClockEnvironment = (file: string): NodeJS.ProcessEnv => ({
  LD_PRELOAD: library,
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_CACHE_DURATION: "1",
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
  DONT_FAKE_MONOTONIC: "1",
  // File times that a process sets are also relative to the fake clock.
  FAKE_UTIME: "1",
});

/** Sets the clock for processes with this environment, relative to the machine's. */
export const setClock = (file: string, seconds: number): void => writeFileSync(file, `${seconds < 0 ? "" : "+"}${seconds}\n`);
