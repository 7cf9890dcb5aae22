import { constants } from "node:os";
import process from "node:process";

const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
const parentCheckMilliseconds = 250;
/** On Ctrl-C the terminal signals npm and us, and npm forwards its own: that is one request to stop, not two. */
const forwardedMilliseconds = 1_000;

/** Whether npm runs this process and waits for it: as `npm start` or `npx ashlar`. Other programs that npm runs, and that run this one, may live shorter. */
const isRunByNpm = ({ npm_lifecycle_event, npm_lifecycle_script = "", npm_package_name }: NodeJS.ProcessEnv): boolean =>
  (npm_lifecycle_event === "start" && npm_package_name === "ashlar") ||
  (npm_lifecycle_event === "npx" && /^['"]?ashlar\b[^&]*$/.test(npm_lifecycle_script));

/**
 * Reports requests to stop: SIGTERM, SIGINT, SIGHUP (the terminal was closed), or the end of the npm that runs this process. A further SIGTERM or SIGINT ends the
 * process at once.
 *
 * npm forwards SIGTERM and SIGINT to the shell of its script and no further. In `npm start` the script's `exec` makes that shell this process (for cmd.exe:
 * exec.cmd), so that npm also waits for its end. `npx` has no such script, npm does not forward SIGHUP, cannot forward SIGKILL, and on Windows there are no
 * signals: so this process watches whether its parent lives.
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
      // A terminal that closes may send SIGHUP several times: by itself, and by its shell.
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

/** POSIX gives an orphan another parent at once; Windows does not. */
const isAlive = (parent: number): boolean => {
  if (process.platform !== "win32") return process.ppid === parent;
  try {
    return process.kill(parent, 0);
  } catch {
    return false;
  }
};
