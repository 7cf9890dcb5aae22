import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Whether a process is this cluster's PostgreSQL server, judged by its program name and working directory. */
export function isClusterProcess(pid: number, cluster: string): boolean {
  if (process.platform === "linux") {
    try {
      return /\/postgres(?: \(deleted\))?$/.test(readlinkSync(`/proc/${pid}/exe`)) && readlinkSync(`/proc/${pid}/cwd`) === cluster;
    } catch {
      return false; // The process has exited or belongs to another user.
    }
  }
  try {
    // On macOS the command line contains the data directory. Windows has no ps, so no process is recognised or killed there.
    const command = execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return command.includes(`postgres -D ${cluster} `);
  } catch {
    return false;
  }
}

/** All PostgreSQL processes of this cluster; empty on systems other than Linux, where child processes do not outlive the server. */
export function processesOf(cluster: string): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isClusterProcess(pid, cluster));
}

/**
 * The processes that a killed server left behind: child processes (titled "postgres: …") whose parent is not a process of the cluster. A running server, with
 * or without its lock file, and its child processes are not included.
 */
export function orphansAmong(pids: readonly number[]): number[] {
  return pids.filter((pid) => {
    try {
      const parent = parentOf(pid);
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("postgres: ") && !pids.includes(parent);
    } catch {
      return false; // The process has exited.
    }
  });
}

/** A server's child processes. */
export function childrenOf(server: number, cluster: string): number[] {
  return processesOf(cluster).filter((pid) => {
    try {
      return parentOf(pid) === server;
    } catch {
      return false; // The process has exited.
    }
  });
}

const parentOf = (pid: number): number => Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** Whether any user's process has this id. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
