import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** The number of cores that this process may use: those of the machine or its CPU set, or fewer if its control group has a CPU quota. */
export const availableCores = (): number => Math.max(1, Math.min(availableParallelism(), Math.ceil(quota() ?? Number.POSITIVE_INFINITY)));

/** The CPU quota in cores (Linux, cgroup-v2.rst, "cpu.max"), which Node.js 20 ignores; null if there is none. */
function quota(): number | null {
  try {
    const path = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1] ?? "";
    return parseQuota(readFileSync(`/sys/fs/cgroup${path}/cpu.max`, "utf8"));
  } catch {
    return null;
  }
}

/** Parses `cpu.max`: a quota and a period in microseconds, or `max` and a period. */
export function parseQuota(text: string): number | null {
  const [, used, period] = /^(\d+) (\d+)\s*$/.exec(text) ?? [];
  return used === undefined || period === undefined ? null : Number(used) / Number(period);
}
