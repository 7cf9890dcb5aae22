import { readdirSync, readFileSync } from "node:fs";
import type { Queryable } from "../../runtime/database/database.ts";

/** Ticks of the kernel's clock in a second, as Linux tells them to programs (USER_HZ). */
const ticksPerSecond = 100;

/** Processor seconds of this process's children whose program has the name, with what they started; null where the system does not say. */
export function processorSecondsOf(program: string): number | null {
  if (process.platform !== "linux") return null;
  const stats = readAll();
  const roots = stats.filter((stat) => stat.parent === process.pid && stat.program.startsWith(program));
  const sumOf = (root: ProcessStat): number =>
    root.ticks + stats.filter((stat) => stat.parent === root.id).reduce((sum, stat) => sum + sumOf(stat), 0);
  return roots.reduce((sum, root) => sum + sumOf(root), 0) / ticksPerSecond;
}

/** Processor milliseconds that processes of one thread each have taken until now, by the scheduler's own clock; null where the system does not say, or one ended. */
function processorMillisecondsOf(ids: readonly number[]): number | null {
  try {
    // The first field of /proc/<pid>/schedstat is nanoseconds on a processor (Linux, Documentation/scheduler/sched-stats.rst).
    return ids.reduce((sum, id) => sum + Number(readFileSync(`/proc/${id}/schedstat`, "utf8").split(" ")[0]) / 1e6, 0);
  } catch {
    return null;
  }
}

/** Starts counting what this process and those that now serve its database take, in milliseconds; null where the system does not say. */
export async function startProcessorClock(database: Queryable): Promise<() => number | null> {
  const workers = await database.query<{ id: number }>("SELECT pid::int8 AS id FROM pg_stat_activity WHERE datname = current_database()");
  const ids = workers.map(({ id }) => id);
  const [own, others] = [process.cpuUsage(), processorMillisecondsOf(ids)];
  return () => {
    const { user, system } = process.cpuUsage(own);
    const after = processorMillisecondsOf(ids);
    return others === null || after === null ? null : after - others + (user + system) / 1000;
  };
}

interface ProcessStat {
  readonly id: number;
  readonly parent: number;
  readonly program: string;
  /** Its own, and that of children that have ended. */
  readonly ticks: number;
}

const readAll = (): ProcessStat[] =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [parseStat(readFileSync(`/proc/${name}/stat`, "utf8"))];
    } catch {
      return []; // It has ended meanwhile.
    }
  });

/** One line of /proc/<pid>/stat (proc_pid_stat(5)); the program's name stands in parentheses and may hold spaces. */
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
