import { readFileSync } from "node:fs";
import { withChildren } from "./cpu-time.ts";

/** The resident memory of a process and its child processes in megabytes; null if the system does not report it. */
export function residentMegabytesOf(id: number): number | null {
  if (process.platform !== "linux") return null;
  try {
    return withChildren(id).reduce((sum, member) => sum + residentKilobytesOf(member), 0) / 1024;
  } catch {
    return null; // A process has exited.
  }
}

/** VmRSS (proc_pid_status(5)). */
const residentKilobytesOf = (id: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1] ?? 0);
