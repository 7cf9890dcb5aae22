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

/** The cores that `cpu.max` allows: a quota divided by a period, both in microseconds; null if the quota is `max`. */
export function parseQuota(text: string): number | null {
  const [, limit, period] = /^(\d+) (\d+)\s*$/.exec(text) ?? [];
  return limit === undefined || period === undefined ? null : Number(limit) / Number(period);
}
