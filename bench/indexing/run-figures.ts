import { rounded } from "../result.ts";
import type { Timing } from "./runs.ts";
import type { Run } from "./timed-run.ts";

/** What a run took on the clock. */
export const wall = ({ result }: Run<Timing>): number => result.milliseconds;
/** All that the machine's processors did for a run: it does not depend on what else they did. */
export const processor = ({ result, node, database }: Run<Timing>): number => result.processorSeconds + (node ?? 0) + (database ?? 0);

/** Each run to the one that ran right beside it. */
export const ratios = (runs: readonly Run<Timing>[], baselines: readonly Run<Timing>[], pick: (run: Run<Timing>) => number): number[] =>
  runs.flatMap((run, index) => [baselines[index]].flatMap((baseline) => (baseline === undefined ? [] : [pick(run) / pick(baseline)])));

/** A run as a line of a table. */
export const lineOf = (run: Run<Timing>): Readonly<Record<string, string | number>> => ({
  run: run.kind,
  ms: Math.round(run.result.milliseconds),
  ...Object.fromEntries(Object.entries(run.result.steps).map(([step, value]) => [step, Math.round(value)])),
  "own CPU s": rounded(run.result.processorSeconds, 1),
  "node CPU s": run.node === null ? "" : rounded(run.node, 1),
  "database CPU s": run.database === null ? "" : rounded(run.database, 1),
  "peak MB": run.megabytes,
  "system load": rounded(run.load, 1),
});
