import { execFileSync } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";

/** Whether this process is a PostgreSQL server that works in this cluster: its program's name and its working directory, as the system tells them. */
export function worksIn(pid: number, cluster: string): boolean {
  if (process.platform === "linux") {
    try {
      return /\/postgres(?: \(deleted\))?$/.test(readlinkSync(`/proc/${pid}/exe`)) && readlinkSync(`/proc/${pid}/cwd`) === cluster;
    } catch {
      return false; // It has ended, or is another user's.
    }
  }
  try {
    // macOS: the command line names the data folder. Windows has no ps: nothing is recognised there, and nothing ended.
    const command = execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return command.includes(`postgres -D ${cluster} `);
  } catch {
    return false;
  }
}

/** All processes of PostgreSQL that work in this cluster; on Linux alone, where a server's helpers outlive it for a moment. To be waited for, not to be signalled. */
export function allWorkingIn(cluster: string): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => worksIn(pid, cluster));
}

/** Whether a process of this number exists, whoever's it is. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
