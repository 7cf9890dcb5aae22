import { rounded } from "../result.ts";
import type { Timing } from "./runs.ts";
import type { Run } from "./time-run.ts";

/** The wall time of a run. */
export const wallMilliseconds = ({ result }: Run<Timing>): number => result.milliseconds;
/** The CPU time of a run in all processes, independent of other load. */
export const totalCpuSeconds = ({ result, nodeCpuSeconds, databaseCpuSeconds }: Run<Timing>): number =>
  result.cpuSeconds + (nodeCpuSeconds ?? 0) + (databaseCpuSeconds ?? 0);

/** Returns the ratio of each run to the baseline run after it. */
export const ratios = (runs: readonly Run<Timing>[], baselines: readonly Run<Timing>[], pick: (run: Run<Timing>) => number): number[] =>
  runs.flatMap((run, index) => [baselines[index]].flatMap((baseline) => (baseline === undefined ? [] : [pick(run) / pick(baseline)])));

/** Converts a run to a table row. */
export const toTableRow = (run: Run<Timing>): Readonly<Record<string, string | number>> => ({
  run: run.kind,
  ms: Math.round(run.result.milliseconds),
  ...Object.fromEntries(Object.entries(run.result.steps).map(([step, value]) => [step, Math.round(value)])),
  "own CPU s": rounded(run.result.cpuSeconds, 1),
  "node CPU s": run.nodeCpuSeconds === null ? "" : rounded(run.nodeCpuSeconds, 1),
  "database CPU s": run.databaseCpuSeconds === null ? "" : rounded(run.databaseCpuSeconds, 1),
  "peak MB": run.megabytes,
  "system load": rounded(run.load, 1),
});
