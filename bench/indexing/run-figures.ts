import { rounded } from "../result.ts";
import type { Timing } from "./runs.ts";
import type { Run } from "./time-run.ts";

/** The wall time of a run. */
export const wall = ({ result }: Run<Timing>): number => result.milliseconds;
/** The CPU time of a run in all processes, independent of other load. */
export const cpu = ({ result, node, database }: Run<Timing>): number => result.cpuSeconds + (node ?? 0) + (database ?? 0);

/** Returns the ratio of each run to the baseline run after it. */
export const ratios = (runs: readonly Run<Timing>[], baselines: readonly Run<Timing>[], pick: (run: Run<Timing>) => number): number[] =>
  runs.flatMap((run, index) => [baselines[index]].flatMap((baseline) => (baseline === undefined ? [] : [pick(run) / pick(baseline)])));

/** Converts a run to a table row. */
export const toTableRow = (run: Run<Timing>): Readonly<Record<string, string | number>> => ({
  run: run.kind,
  ms: Math.round(run.result.milliseconds),
  ...Object.fromEntries(Object.entries(run.result.steps).map(([step, value]) => [step, Math.round(value)])),
  "own CPU s": rounded(run.result.cpuSeconds, 1),
  "node CPU s": run.node === null ? "" : rounded(run.node, 1),
  "database CPU s": run.database === null ? "" : rounded(run.database, 1),
  "peak MB": run.megabytes,
  "system load": rounded(run.load, 1),
});
