import { constants } from "node:os";
import process from "node:process";

const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
const parentCheckMilliseconds = 250;
/** On Ctrl-C the terminal signals npm and this process, and npm forwards its signal: both signals are one request to stop. */
const forwardedMilliseconds = 1_000;

/**
 * Whether npm runs this process and waits for it, as `npm start` and `npx ashlar` do. Other programs that npm starts may exit before the process that they
 * start.
 */
const isRunByNpm = ({ npm_lifecycle_event, npm_lifecycle_script = "", npm_package_name }: NodeJS.ProcessEnv): boolean =>
  (npm_lifecycle_event === "start" && npm_package_name === "ashlar") ||
  (npm_lifecycle_event === "npx" && /^['"]?ashlar\b[^&]*$/.test(npm_lifecycle_script));

/**
 * Reports requests to stop: SIGTERM, SIGINT, SIGHUP (the terminal was closed), or the exit of the npm process that runs this one. After a second SIGTERM or
 * SIGINT the process exits immediately.
 *
 * npm forwards SIGTERM and SIGINT only to the shell of its script. The script of `npm start` replaces that shell with this process by `exec` (for cmd.exe:
 * exec.cmd), so that npm waits for this process to exit. `npx` has no such script, npm does not forward SIGHUP and cannot forward SIGKILL, and Windows has no
 * signals: this process therefore checks whether its parent is alive.
 */
export function onStopRequest(report: (cause: string) => void, environment: NodeJS.ProcessEnv = process.env): void {
  const isInNpm = isRunByNpm(environment);
  let firstRequestAt: number | null = null;
  const request = (cause: string): void => {
    firstRequestAt ??= performance.now();
    report(cause);
  };
  for (const signal of signals) {
    process.on(signal, () => {
      // A closing terminal may send SIGHUP twice: from the kernel and from its shell.
      const isRepeated =
        firstRequestAt !== null && signal !== "SIGHUP" && !(isInNpm && performance.now() - firstRequestAt < forwardedMilliseconds);
      if (isRepeated) process.exit(128 + constants.signals[signal]);
      request(signal);
    });
  }
  if (!isInNpm) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (isAlive(parent)) return;
    clearInterval(timer);
    request("npm has exited");
  }, parentCheckMilliseconds);
  timer.unref();
}

/** On POSIX systems an orphan immediately gets a new parent; on Windows it does not. */
const isAlive = (parent: number): boolean => {
  if (process.platform !== "win32") return process.ppid === parent;
  try {
    return process.kill(parent, 0);
  } catch {
    return false;
  }
};
