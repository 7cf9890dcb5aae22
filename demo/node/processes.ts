import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const defaultGraceMilliseconds = 5_000;

/** Identifies a process; its start time distinguishes it from a later one with the same id. */
export interface ProcessHandle {
  readonly processId: number;
  /** The start time in the platform's format; it is only compared. */
  readonly startedAt: string;
}

export interface ProcessInfo extends ProcessHandle {
  readonly command: string;
}

/**
 * Field 22 of /proc/<id>/stat is the start time in ticks since boot (proc(5)). The process name may contain spaces, so the fields are split after its
 * closing parenthesis.
 */
const inspectOnLinux = async (processId: number): Promise<ProcessInfo | null> => {
  const stat = await readFile(`/proc/${processId}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z") return null;
  const command = (await readFile(`/proc/${processId}/cmdline`, "utf8")).replaceAll("\0", " ").trim();
  return { processId, startedAt: fields[19] ?? "", command };
};

const inspectElsewhere = async (processId: number): Promise<ProcessInfo | null> => {
  const startedAt = (await run("ps", ["-o", "lstart=", "-p", String(processId)])).stdout.trim();
  const command = (await run("ps", ["-ww", "-o", "command=", "-p", String(processId)])).stdout.trim();
  return startedAt === "" ? null : { processId, startedAt, command };
};

/** Returns the process with this id, or null. */
export const inspectProcess = async (processId: number): Promise<ProcessInfo | null> => {
  try {
    return await (process.platform === "linux" ? inspectOnLinux(processId) : inspectElsewhere(processId));
  } catch {
    return null;
  }
};

/** Whether the identified process is still running. */
export const isRunning = async ({ processId, startedAt }: ProcessHandle): Promise<boolean> =>
  (await inspectProcess(processId))?.startedAt === startedAt;

const signal = (processId: number, name: NodeJS.Signals): void => {
  try {
    process.kill(processId, name);
  } catch {
    // The process has just exited.
  }
};

/** Stops the identified process, but no other process that has reused its id. */
export const stopProcess = async (handle: ProcessHandle, graceMilliseconds = defaultGraceMilliseconds): Promise<void> => {
  if (!(await isRunning(handle))) return;
  signal(handle.processId, "SIGTERM");
  for (const deadline = Date.now() + graceMilliseconds; Date.now() < deadline; await wait(20)) if (!(await isRunning(handle))) return;
  signal(handle.processId, "SIGKILL");
  while (await isRunning(handle)) await wait(20);
};

/** Whether the process itself listens on this IPv4 port; null if the platform does not report it. State 0A is LISTEN (proc_net_tcp). */
export const listensOn = async (processId: number, port: number): Promise<boolean | null> => {
  try {
    const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
    const rows = (await readFile("/proc/net/tcp", "utf8")).split("\n").map((row) => row.trim().split(/\s+/));
    const sockets = rows.filter((row) => row[1]?.endsWith(suffix) && row[3] === "0A").map((row) => `socket:[${row[9]}]`);
    const descriptors = await readdir(`/proc/${processId}/fd`);
    const links = await Promise.all(descriptors.map((name) => readlink(`/proc/${processId}/fd/${name}`).catch(() => "")));
    return links.some((link) => sockets.includes(link));
  } catch {
    return null;
  }
};
