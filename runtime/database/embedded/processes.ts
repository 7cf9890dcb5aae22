import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Whether this process is a PostgreSQL server that works in this cluster: by its program's name and working directory. */
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

/** All processes of PostgreSQL that work in this cluster; on Linux alone, where a server's helpers outlive it for a moment. */
export function allWorkingIn(cluster: string): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => worksIn(pid, cluster));
}

/**
 * Those of the processes that a killed server left behind: helpers (PostgreSQL titles them "postgres: …") whose parent is no longer one of the cluster's. A server
 * that runs, with or without its lock file, and its helpers are not among them.
 */
export function orphansAmong(pids: readonly number[]): number[] {
  return pids.filter((pid) => {
    try {
      const parent = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("postgres: ") && !pids.includes(parent);
    } catch {
      return false; // It has ended.
    }
  });
}

/** Whether a process with this id exists, of any user. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
