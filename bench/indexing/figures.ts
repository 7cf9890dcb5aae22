import { type BenchResult, median, rounded } from "../result.ts";
import type { Comparison, Run } from "./compare.ts";
import type { Timing } from "./runs.ts";
import { compareTenths } from "./tenths.ts";

const targets = { ratio: 1.1, missAbove: 1.4, megabytes: 400, growth: 1.25 };

/** The tables and figures of a comparison. Ratios are medians of the runs' own, each to the baseline that ran right after it. */
export function resultOf({ indexed, texts, values, rows }: Comparison): BenchResult {
  const ratio = median(ratios(indexed, texts, wall));
  const megabytes = Math.max(...indexed.map((run) => run.megabytes));
  const tenths = indexed.map(({ result }) => compareTenths(result.points));
  const growth = median(tenths.map(({ first, last }) => last / first));
  const steps = Object.keys(indexed[0]?.result.steps ?? {});
  return {
    table: [
      ...indexed.flatMap((run, index) => [run, texts[index], values[index]].flatMap((each) => (each === undefined ? [] : [lineOf(each)]))),
      ...Object.entries(rows).map(([table, count]) => ({ run: `rows of ${table}`, ms: count })),
    ],
    figures: {
      ratio: rounded(ratio),
      ratioToValues: rounded(median(ratios(indexed, values, wall))),
      processorRatio: rounded(median(ratios(indexed, texts, processor))),
      indexerMilliseconds: Math.round(median(indexed.map(wall))),
      baselineMilliseconds: Math.round(median(texts.map(wall))),
      peakMegabytes: megabytes,
      firstTenthMillisecondsPerBlock: rounded(median(tenths.map(({ first }) => first))),
      lastTenthMillisecondsPerBlock: rounded(median(tenths.map(({ last }) => last))),
      lastToFirstTenth: rounded(growth),
      ...Object.fromEntries(
        steps.map((step) => [`${step}Milliseconds`, Math.round(median(indexed.map(({ result }) => result.steps[step] ?? 0)))]),
      ),
    },
    missed: [
      ...(ratio <= targets.ratio
        ? []
        : [`${rounded(ratio)} times the baseline: the target is ${targets.ratio}, a miss above ${targets.missAbove}.`]),
      ...(megabytes < targets.megabytes ? [] : [`The indexer took ${megabytes} MB, not less than ${targets.megabytes}.`]),
      ...(growth <= targets.growth ? [] : [`A block of the last tenth took ${rounded(growth)} times one of the first.`]),
    ],
  };
}

const wall = ({ result }: Run<Timing>): number => result.milliseconds;
/** All that the machine's processors did for a run: it does not depend on what else they did. */
const processor = ({ result, node, database }: Run<Timing>): number => result.processorSeconds + (node ?? 0) + (database ?? 0);

const ratios = (runs: readonly Run<Timing>[], baselines: readonly Run<Timing>[], pick: (run: Run<Timing>) => number): number[] =>
  runs.flatMap((run, index) => [baselines[index]].flatMap((baseline) => (baseline === undefined ? [] : [pick(run) / pick(baseline)])));

const lineOf = (run: Run<Timing>): Readonly<Record<string, string | number>> => ({
  run: run.kind,
  ms: Math.round(run.result.milliseconds),
  ...Object.fromEntries(Object.entries(run.result.steps).map(([step, value]) => [step, Math.round(value)])),
  "own CPU s": rounded(run.result.processorSeconds, 1),
  "node CPU s": run.node === null ? "" : rounded(run.node, 1),
  "database CPU s": run.database === null ? "" : rounded(run.database, 1),
  "peak MB": run.megabytes,
  "system load": rounded(run.load, 1),
});
