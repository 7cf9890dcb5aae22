import { constants } from "node:os";
import process from "node:process";

const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
const parentCheckMilliseconds = 250;
/** On Ctrl-C the terminal signals npm and this process, and npm forwards its signal: both are one request to stop. */
const forwardedMilliseconds = 1_000;

/**
 * Whether npm runs this process and waits for it, as in `npm start` or `npx ashlar`. Other programs started by npm may exit before the process that they start.
 */
const isRunByNpm = ({ npm_lifecycle_event, npm_lifecycle_script = "", npm_package_name }: NodeJS.ProcessEnv): boolean =>
  (npm_lifecycle_event === "start" && npm_package_name === "ashlar") ||
  (npm_lifecycle_event === "npx" && /^['"]?ashlar\b[^&]*$/.test(npm_lifecycle_script));

/**
 * Reports requests to stop: SIGTERM, SIGINT, SIGHUP (the terminal was closed), or the end of the npm that runs this process. A second SIGTERM or SIGINT ends
 * the process immediately.
 *
 * npm forwards SIGTERM and SIGINT to the shell of its script only. The script of `npm start` replaces that shell by this process with `exec` (for cmd.exe:
 * exec.cmd), so that npm also waits for its end. `npx` has no such script, npm does not forward SIGHUP, cannot forward SIGKILL, and Windows has no signals:
 * this process therefore checks whether its parent is alive.
 */
export function onStopRequest(report: (cause: string) => void, environment: NodeJS.ProcessEnv = process.env): void {
  const isInNpm = isRunByNpm(environment);
  let first: number | null = null;
  const request = (cause: string): void => {
    first ??= performance.now();
    report(cause);
  };
  for (const signal of signals) {
    process.on(signal, () => {
      // A closing terminal may send SIGHUP twice: from the kernel and from its shell.
      const isRepeated = first !== null && signal !== "SIGHUP" && !(isInNpm && performance.now() - first < forwardedMilliseconds);
      if (isRepeated) process.exit(128 + constants.signals[signal]);
      request(signal);
    });
  }
  if (!isInNpm) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (isAlive(parent)) return;
    clearInterval(timer);
    request("npm has ended");
  }, parentCheckMilliseconds);
  timer.unref();
}

/** On POSIX systems an orphan immediately gets another parent; on Windows it does not. */
const isAlive = (parent: number): boolean => {
  if (process.platform !== "win32") return process.ppid === parent;
  try {
    return process.kill(parent, 0);
  } catch {
    return false;
  }
};
