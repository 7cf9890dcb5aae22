import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const endPatienceMilliseconds = 5_000;

/** A process, distinguished from a later one with the same id. */
export interface ProcessMark {
  readonly processId: number;
  /** The start time in the system's format; compared, never shown. */
  readonly startedAt: string;
}

export interface ProcessFacts extends ProcessMark {
  readonly command: string;
}

/** Field 22 of /proc/<id>/stat (proc(5)) counts ticks since boot; the name before it may hold spaces, so fields start after its bracket. */
const inspectOnLinux = async (processId: number): Promise<ProcessFacts | null> => {
  const stat = await readFile(`/proc/${processId}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z") return null;
  const command = (await readFile(`/proc/${processId}/cmdline`, "utf8")).replaceAll("\0", " ").trim();
  return { processId, startedAt: fields[19] ?? "", command };
};

const inspectElsewhere = async (processId: number): Promise<ProcessFacts | null> => {
  const startedAt = (await run("ps", ["-o", "lstart=", "-p", String(processId)])).stdout.trim();
  const command = (await run("ps", ["-ww", "-o", "command=", "-p", String(processId)])).stdout.trim();
  return startedAt === "" ? null : { processId, startedAt, command };
};

/** The process with this id, or null. */
export const inspectProcess = async (processId: number): Promise<ProcessFacts | null> => {
  try {
    return await (process.platform === "linux" ? inspectOnLinux(processId) : inspectElsewhere(processId));
  } catch {
    return null;
  }
};

/** Whether the marked process still runs. */
export const stillRuns = async ({ processId, startedAt }: ProcessMark): Promise<boolean> =>
  (await inspectProcess(processId))?.startedAt === startedAt;

const signal = (processId: number, name: NodeJS.Signals): void => {
  try {
    process.kill(processId, name);
  } catch {
    // It has just exited.
  }
};

/** Ends the marked process, and no other that may have taken its id. */
export const endProcess = async (mark: ProcessMark, patienceMilliseconds = endPatienceMilliseconds): Promise<void> => {
  if (!(await stillRuns(mark))) return;
  signal(mark.processId, "SIGTERM");
  for (const deadline = Date.now() + patienceMilliseconds; Date.now() < deadline; await wait(20)) if (!(await stillRuns(mark))) return;
  signal(mark.processId, "SIGKILL");
  while (await stillRuns(mark)) await wait(20);
};

/** Whether the process itself listens on this IPv4 port; null if the system does not provide it. State 0A is LISTEN (proc_net_tcp). */
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
