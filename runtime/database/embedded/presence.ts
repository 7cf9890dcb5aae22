import { execFileSync } from "node:child_process";
import { closeSync, constants, lstatSync, openSync } from "node:fs";

/**
 * Opens a data directory's FIFO for reading, and creates it if it is missing. The server inherits the descriptor, so that the FIFO has a reader while
 * the owner or one of its server's processes exists, including in other containers (fifo(7)). Undefined if the file system has no FIFOs.
 */
export function openPresence(path: string): number | undefined {
  if (process.platform === "win32") return undefined;
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) execFileSync("mkfifo", ["-m", "600", path], { stdio: "ignore" });
    return lstatSync(path).isFIFO() ? openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process on this machine has the FIFO open for reading; null if that cannot be determined. */
export function hasPresence(path: string): boolean | null {
  try {
    if (!lstatSync(path).isFIFO()) return null;
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENXIO" ? false : null;
  }
}
