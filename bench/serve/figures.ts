import { type BenchResult, rounded, roundedOrBlank } from "../result.ts";
import { minRatio } from "./check-bare.ts";
import type { RowFigures } from "./measure-row.ts";
import { medianOf, ratesOf, type Spread, type Summary, summaryOf } from "./summary.ts";
import { maxRatios } from "./targets.ts";

/** A row that could not be measured. */
export interface RowFailure {
  readonly row: string;
  readonly reason: string;
}

const spreadText = ({ min, max }: Spread): string => (min === max ? "" : `${rounded(min)}–${rounded(max)}`);
const titleOf = ({ rowCase: { row, name } }: RowFigures): string => `${row} ${name}`;

/** Tables, figures and missed targets. */
export function resultOf(rows: readonly RowFigures[], failures: readonly RowFailure[], load: number): BenchResult {
  const summaries = rows.map(summaryOf);
  const countOf = (mark: string): number => summaries.filter(({ marks }) => marks.rate === mark).length;
  return {
    table: rows.flatMap(linesOf),
    otherTables: [summaries.map(targetLine), summaries.map(columnLine)],
    figures: {
      load: rounded(load, 1),
      ratesMet: countOf("met"),
      ratesBelowTarget: countOf("below target"),
      ratesMissed: countOf("MISSED"),
      notMeasured: failures.length,
      ...Object.fromEntries(summaries.flatMap(figuresOf)),
    },
    missed: [...failures.map(({ row, reason }) => `Row ${row} was not measured: ${reason}`), ...summaries.flatMap(missedOf)],
  };
}

/** A line for each number of connections. */
const linesOf = (figures: RowFigures): BenchResult["table"] =>
  figures.comparisons.map((comparison) => {
    const { connections, pairs } = comparison;
    const rate = ratesOf(comparison);
    return {
      row: titleOf(figures),
      connections,
      "req/s": roundedOrBlank(
        medianOf(comparison, "product", ({ perSecond }) => perSecond),
        0,
      ),
      bare: roundedOrBlank(
        medianOf(comparison, "bare", ({ perSecond }) => perSecond),
        0,
      ),
      ratio: rounded(rate.median),
      spread: spreadText(rate),
      "p50 ms": roundedOrBlank(medianOf(comparison, "product", ({ p50 }) => p50)),
      "bare p50": roundedOrBlank(medianOf(comparison, "bare", ({ p50 }) => p50)),
      "p99 ms": roundedOrBlank(
        medianOf(comparison, "product", ({ p99 }) => p99),
        1,
      ),
      "bare p99": roundedOrBlank(
        medianOf(comparison, "bare", ({ p99 }) => p99),
        1,
      ),
      "server CPU ms": roundedOrBlank(medianOf(comparison, "product", ({ serverCpu }) => serverCpu)),
      "bare CPU": roundedOrBlank(medianOf(comparison, "bare", ({ serverCpu }) => serverCpu)),
      "database CPU ms": roundedOrBlank(medianOf(comparison, "product", ({ databaseCpu }) => databaseCpu)),
      "bare database": roundedOrBlank(medianOf(comparison, "bare", ({ databaseCpu }) => databaseCpu)),
      kB: rounded(pairs.reduce((sum, { product }) => sum + product.bytes / product.requests, 0) / pairs.length / 1024, 1),
    };
  });

/** The figures with targets, and their marks. */
const targetLine = (summary: Summary) => ({
  row: titleOf(summary),
  statements: summary.statements.statementCount,
  "one after another": summary.statements.sequentialCount,
  connections: summary.compared.connections,
  ratio: rounded(summary.rate.median),
  spread: spreadText(summary.rate),
  target: summary.target,
  rate: summary.marks.rate,
  [`latency ratio (max ${maxRatios.latency})`]: rounded(summary.latency),
  latency: summary.marks.latency,
  [`CPU ratio (max ${maxRatios.cpu})`]: roundedOrBlank(summary.cpu),
  CPU: summary.marks.cpu,
  "pgbench/s": summary.bareCheck === null ? "" : rounded(summary.bareCheck.pgbench, 0),
  [`bare/pgbench (min ${minRatio})`]: summary.bareCheck === null ? "" : rounded(summary.bareCheck.ratio),
  "compared by": summary.bareCheck?.basis ?? "",
  load: rounded(summary.load, 1),
});

/** The additional columns, at the compared number of connections; ratios are to the bare server. */
function columnLine(summary: Summary) {
  const { compared, cached, compressed, express, peers } = summary;
  const bare = medianOf(compared, "bare", ({ perSecond }) => perSecond) ?? Number.NaN;
  return {
    row: titleOf(summary),
    "req/s": roundedOrBlank(
      medianOf(compared, "product", ({ perSecond }) => perSecond),
      0,
    ),
    "cached/s": rounded(cached.perSecond, 0),
    "cached ratio": rounded(cached.perSecond / bare),
    "cached %": rounded((100 * cached.cached) / cached.requests, 0),
    "cached CPU ms": roundedOrBlank(cached.serverCpu),
    "gzip/s": rounded(compressed.perSecond, 0),
    "gzip ratio": rounded(compressed.perSecond / bare),
    "gzip kB": rounded(compressed.bytes / compressed.requests / 1024, 1),
    "gzip CPU ms": roundedOrBlank(compressed.serverCpu),
    "Express/s": rounded(express.perSecond, 0),
    "Express ratio": rounded(express.perSecond / bare),
    "Express CPU ms": roundedOrBlank(express.serverCpu),
    "Express database": roundedOrBlank(express.databaseCpu),
    ...(peers && {
      "Ponder's libraries/s": rounded(peers.ponder.perSecond, 0),
      "Ponder's libraries ratio": rounded(peers.ponder.perSecond / bare),
      "PostGraphile/s": rounded(peers.postgraphile.perSecond, 0),
      "PostGraphile ratio": rounded(peers.postgraphile.perSecond / bare),
    }),
  };
}

const figuresOf = ({ rowCase: { row }, rate, latency, cpu, compared, cached, compressed, express, peers }: Summary): [string, number][] => {
  const bare = medianOf(compared, "bare", ({ perSecond }) => perSecond) ?? Number.NaN;
  return [
    [`row${row}Rate`, rounded(rate.median)],
    [`row${row}RateMin`, rounded(rate.min)],
    [`row${row}RateMax`, rounded(rate.max)],
    [`row${row}Latency`, rounded(latency)],
    [`row${row}Cpu`, rounded(cpu ?? Number.NaN)],
    [`row${row}Cached`, rounded(cached.perSecond / bare)],
    [`row${row}Compressed`, rounded(compressed.perSecond / bare)],
    [`row${row}Express`, rounded(express.perSecond / bare)],
    ...(peers === null
      ? []
      : Object.entries(peers).map(([name, { perSecond }]): [string, number] => [`row${row}_${name}`, rounded(perSecond / bare)])),
  ];
};

function missedOf(summary: Summary): string[] {
  const { rowCase, rate, target, latency, cpu, marks, bareCheck } = summary;
  const subject = `Row ${rowCase.row} (${rowCase.name})`;
  const rateText = `${rounded(rate.median)} of the bare server's requests per second; the target is at least ${target}`;
  return [
    ...(bareCheck !== null && bareCheck.ratio < minRatio && rowCase.isLong !== true
      ? [`${subject}: the bare server reached ${rounded(bareCheck.ratio)} of pgbench's rate; expected at least ${minRatio}.`]
      : []),
    ...(marks.rate === "below target" ? [`${subject}: ${rateText} (narrowly missed).`] : []),
    ...(marks.rate === "MISSED" ? [`${subject}: ${rateText}.`] : []),
    ...(marks.latency === "MISSED"
      ? [`${subject}: ${rounded(latency)} times the bare server's latency; the target is at most ${maxRatios.latency}.`]
      : []),
    ...(cpu !== null && marks.cpu === "MISSED"
      ? [`${subject}: ${rounded(cpu)} times the bare server's CPU time; the target is at most ${maxRatios.cpu}.`]
      : []),
  ];
}
