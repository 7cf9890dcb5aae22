import { readdirSync, readFileSync } from "node:fs";
import type { Queryable } from "../../runtime/database/database.ts";

/** Kernel clock ticks per second, as Linux reports them to programs (USER_HZ). */
const ticksPerSecond = 100;

/** CPU seconds of child processes whose program name starts with `program`, with their descendants; null if the system does not report them. */
export function cpuSecondsOf(program: string): number | null {
  if (process.platform !== "linux") return null;
  const stats = readAll();
  const roots = stats.filter((stat) => stat.parent === process.pid && stat.program.startsWith(program));
  const sumOf = (root: ProcessStat): number =>
    root.ticks + stats.filter((stat) => stat.parent === root.id).reduce((sum, stat) => sum + sumOf(stat), 0);
  return roots.reduce((sum, root) => sum + sumOf(root), 0) / ticksPerSecond;
}

/** CPU milliseconds of single-threaded processes by the scheduler's clock; null if the system does not report them or a process has exited. */
function cpuMillisecondsOf(ids: readonly (number | string)[]): number | null {
  try {
    // The first field of /proc/<pid>/schedstat is nanoseconds on a CPU (Linux, Documentation/scheduler/sched-stats.rst).
    return ids.reduce<number>((sum, id) => sum + Number(readFileSync(`/proc/${id}/schedstat`, "utf8").split(" ")[0]) / 1e6, 0);
  } catch {
    return null;
  }
}

/** CPU milliseconds of all threads of a process; null if the system does not report them or a thread exits in the meantime. */
function cpuMillisecondsOfProcess(id: number): number | null {
  try {
    return cpuMillisecondsOf(readdirSync(`/proc/${id}/task`).map((thread) => `${id}/task/${thread}`));
  } catch {
    return null;
  }
}

/** CPU milliseconds of all threads of a process and its child processes; null if the system does not report them. */
export function cpuMillisecondsOfFamily(id: number): number | null {
  if (process.platform !== "linux") return null;
  return withChildren(id).reduce<number | null>((sum, member) => {
    const memberMilliseconds = cpuMillisecondsOfProcess(member);
    return sum === null || memberMilliseconds === null ? null : sum + memberMilliseconds;
  }, 0);
}

/** The ids of a process and its child processes (Linux only). */
export const withChildren = (id: number): number[] => [
  id,
  ...readAll()
    .filter(({ parent }) => parent === id)
    .map((child) => child.id),
];

/** CPU milliseconds of a process's running child processes, by id; null if the system does not report them. */
export function cpuMillisecondsOfChildren(parent: number): ReadonlyMap<number, number> | null {
  if (process.platform !== "linux") return null;
  const children = readAll().filter((stat) => stat.parent === parent);
  // A child that has just exited counts as 0.
  return new Map(children.map(({ id }) => [id, cpuMillisecondsOf([id]) ?? 0]));
}

/** The increase in CPU milliseconds between two samples, over the child processes that are still running. */
export const growthOf = (before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number =>
  [...after].reduce((sum, [id, time]) => sum + time - (before.get(id) ?? 0), 0);

/** The id of the postmaster, the parent of all of a database server's backends; 0 if the system does not report it. */
export async function postmasterOf(database: Queryable): Promise<number> {
  const [row] = await database.query<{ id: number }>("SELECT pg_backend_pid()::int8 AS id");
  return parentOf(row?.id ?? 0) ?? 0;
}

/** The parent of a process; null if the system does not report it. */
function parentOf(id: number): number | null {
  return process.platform === "linux" ? (readAll().find((stat) => stat.id === id)?.parent ?? null) : null;
}

/** Starts measuring the CPU milliseconds of this process and its database backends; null if the system does not report them. */
export async function startCpuClock(database: Queryable): Promise<() => number | null> {
  const backends = await database.query<{ id: number }>("SELECT pid::int8 AS id FROM pg_stat_activity WHERE datname = current_database()");
  const ids = backends.map(({ id }) => id);
  const [ownUsage, backendMilliseconds] = [process.cpuUsage(), cpuMillisecondsOf(ids)];
  return () => {
    const { user, system } = process.cpuUsage(ownUsage);
    const after = cpuMillisecondsOf(ids);
    return backendMilliseconds === null || after === null ? null : after - backendMilliseconds + (user + system) / 1000;
  };
}

interface ProcessStat {
  readonly id: number;
  readonly parent: number;
  readonly program: string;
  /** The ticks of the process and its exited children. */
  readonly ticks: number;
}

const readAll = (): ProcessStat[] =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [parseStat(readFileSync(`/proc/${name}/stat`, "utf8"))];
    } catch {
      return []; // The process has exited.
    }
  });

/** One line of /proc/<pid>/stat (proc_pid_stat(5)); the program name is in parentheses and may contain spaces. */
export function parseStat(line: string): ProcessStat {
  const open = line.indexOf("(");
  const close = line.lastIndexOf(")");
  const fields = line.slice(close + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    id: Number(line.slice(0, open)),
    program: line.slice(open + 1, close),
    parent: field(4),
    ticks: field(14) + field(15) + field(16) + field(17),
  };
}
