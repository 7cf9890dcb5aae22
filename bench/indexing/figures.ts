import { type BenchResult, median, rounded } from "../result.ts";
import type { Comparison } from "./compare.ts";
import { ratios, toTableRow, totalCpuSeconds, wallMilliseconds } from "./run-figures.ts";
import { compareTenths } from "./tenths.ts";

const targets = { ratio: 1.1, failsAbove: 1.4, megabytes: 400, growth: 1.25 };

/** The tables and figures of a comparison. A ratio is the median over the runs, each compared with the baseline that ran right after it. */
export function resultOf({ indexed, encoded, values, rows }: Comparison): BenchResult {
  const ratio = median(ratios(indexed, encoded, wallMilliseconds));
  const megabytes = Math.max(...indexed.map((run) => run.megabytes));
  const tenths = indexed.map(({ result }) => compareTenths(result.commitTimes));
  const growth = median(tenths.map(({ first, last }) => last / first));
  const steps = Object.keys(indexed[0]?.result.steps ?? {});
  return {
    table: [
      ...indexed.flatMap((run, index) =>
        [run, encoded[index], values[index]].flatMap((each) => (each === undefined ? [] : [toTableRow(each)])),
      ),
      ...Object.entries(rows).map(([table, count]) => ({ run: `rows of ${table}`, rows: count })),
    ],
    figures: {
      ratio: rounded(ratio),
      ratioToValues: rounded(median(ratios(indexed, values, wallMilliseconds))),
      cpuRatio: rounded(median(ratios(indexed, encoded, totalCpuSeconds))),
      indexerMilliseconds: Math.round(median(indexed.map(wallMilliseconds))),
      baselineMilliseconds: Math.round(median(encoded.map(wallMilliseconds))),
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
        : [
            `The indexer took ${rounded(ratio)} times as long as the baseline; the target is at most ${targets.ratio}, and a ratio above ${targets.failsAbove} is a failure.`,
          ]),
      ...(megabytes < targets.megabytes ? [] : [`The indexer used ${megabytes} MB; the target is less than ${targets.megabytes} MB.`]),
      ...(growth <= targets.growth
        ? []
        : [
            `A block of the last tenth took ${rounded(growth)} times as long as one of the first; the target is at most ${targets.growth}.`,
          ]),
    ],
  };
}
