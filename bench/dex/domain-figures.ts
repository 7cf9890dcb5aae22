import { lineOf, processor, ratios, wall } from "../indexing/run-figures.ts";
import { type BenchResult, median, rounded } from "../result.ts";
import type { DomainComparison } from "./compare-domain.ts";

/** A quarter more wall time than the same chain without exchanges. */
const mostRatio = 1.25;

/** The table and figures of a comparison. The ratio is the median of the pairs' own. */
export function resultOfDomain({ whole, without, rows, chores }: DomainComparison): BenchResult {
  const own = ratios(whole, without, wall);
  const ratio = median(own);
  return {
    table: [
      ...whole.flatMap((run, index) => [run, without[index]].flatMap((each) => (each === undefined ? [] : [lineOf(each)]))),
      ...own.map((value, index) => ({ run: `ratio of pair ${index + 1} (bound ${mostRatio})`, ms: rounded(value) })),
      ...chores.times.map(({ name, milliseconds }) => ({ run: `afterwards, to ${name}`, ms: Math.round(milliseconds) })),
      ...Object.entries(chores.rows).map(([table, count]) => ({ run: `afterwards, rows of ${table}`, ms: count })),
      ...Object.entries(rows).map(([table, count]) => ({ run: `rows of ${table}`, ms: count })),
    ],
    figures: {
      ratio: rounded(ratio),
      processorRatio: rounded(median(ratios(whole, without, processor))),
      wholeMilliseconds: Math.round(median(whole.map(wall))),
      withoutMilliseconds: Math.round(median(without.map(wall))),
    },
    missed: ratio <= mostRatio ? [] : [`With exchanges an index takes ${rounded(ratio)} times as long, not ${mostRatio} at most.`],
  };
}
