import { type BenchResult, rounded } from "../result.ts";
import type { Cell } from "./cells.ts";
import type { RequestStatements } from "./count-statements.ts";
import type { RowCase } from "./row-case.ts";

/** The figures of both servers with one number of connections. */
export interface Comparison {
  readonly connections: number;
  readonly product: Cell;
  readonly bare: Cell;
}

/** All figures of a row. */
export interface RowFigures {
  readonly rowCase: RowCase;
  readonly comparisons: readonly Comparison[];
  readonly statements: RequestStatements;
  /** Statements per second of pgbench; null if it is not installed. */
  readonly pgbench: number | null;
}

/** The rate of the product by that of the bare server: the target, and what misses it clearly. */
const rateTargets = { list: [0.7, 0.5], balances: [0.6, 0.45], other: [0.4, 0.4] } as const;
const maxLatencyRatio = 1.5;
const maxCpuRatio = 1.6;
const minPgbenchRatio = 0.3;
/** The number of connections for which the rates are compared, if it was measured. */
const comparedConnections = 32;

const milliseconds = (value: number | null): number | string => (value === null ? "" : rounded(value, 2));

/** Tables, figures and missed targets. */
export function resultOf(rows: readonly RowFigures[], load: number): BenchResult {
  const lines = rows.map(summaryOf);
  return {
    table: rows.flatMap(({ rowCase: { row, name }, comparisons }) =>
      comparisons.map(({ connections, product, bare }) => ({
        row: `${row} ${name}`,
        connections,
        "req/s": rounded(product.perSecond, 0),
        bare: rounded(bare.perSecond, 0),
        ratio: rounded(product.perSecond / bare.perSecond),
        "p50 ms": rounded(product.p50, 1),
        "bare p50": rounded(bare.p50, 1),
        "p99 ms": rounded(product.p99, 1),
        "bare p99": rounded(bare.p99, 1),
        "server CPU ms": milliseconds(product.serverCpu),
        "bare CPU": milliseconds(bare.serverCpu),
        "database CPU ms": milliseconds(product.databaseCpu),
        "bare database": milliseconds(bare.databaseCpu),
        kB: rounded(product.bytes / product.requests / 1024, 1),
      })),
    ),
    further: [
      lines.map(({ rowCase: { row, name }, statements, pgbench, rate, target, latency, cpu, bareOfPgbench }) => ({
        row: `${row} ${name}`,
        statements: statements.statements,
        "one after another": statements.sequential,
        [`ratio at ${comparedConnections}`]: rounded(rate),
        target,
        "latency ratio (max 1.5)": rounded(latency),
        "CPU ratio (max 1.6)": cpu === null ? "" : rounded(cpu),
        "pgbench/s": pgbench === null ? "" : rounded(pgbench, 0),
        "bare/pgbench (min 0.3)": bareOfPgbench === null ? "" : rounded(bareOfPgbench),
        result: missedOf(rowFigure(lines, row)).length === 0 ? "met" : "MISSED",
      })),
    ],
    figures: {
      load: rounded(load, 1),
      ...Object.fromEntries(
        lines.flatMap(({ rowCase: { row }, rate, latency, cpu }) => [
          [`row${row}Rate`, rounded(rate)],
          [`row${row}Latency`, rounded(latency)],
          [`row${row}Cpu`, rounded(cpu ?? Number.NaN)],
        ]),
      ),
    },
    missed: lines.flatMap(missedOf),
  };
}

type Summary = ReturnType<typeof summaryOf>;

const rowFigure = (lines: readonly Summary[], row: string): Summary => {
  const found = lines.find(({ rowCase }) => rowCase.row === row);
  if (found === undefined) throw new Error(`Row ${row} was not measured.`);
  return found;
};

const bothCpu = ({ serverCpu, databaseCpu }: Cell): number | null =>
  serverCpu === null || databaseCpu === null ? null : serverCpu + databaseCpu;

function summaryOf(figures: RowFigures) {
  const { comparisons, rowCase, pgbench } = figures;
  const compared = comparisons.find(({ connections }) => connections === comparedConnections) ?? comparisons.at(-1);
  const single = comparisons[0];
  if (compared === undefined || single === undefined) throw new Error(`Row ${rowCase.row} was not measured.`);
  const [own, bare] = [bothCpu(compared.product), bothCpu(compared.bare)];
  const best = Math.max(...comparisons.map((comparison) => comparison.bare.perSecond));
  return {
    ...figures,
    rate: compared.product.perSecond / compared.bare.perSecond,
    target: rateTargets[rowCase.kind][0],
    latency: single.product.p50 / single.bare.p50,
    cpu: own === null || bare === null ? null : own / bare,
    bareOfPgbench: pgbench === null ? null : best / pgbench,
  };
}

function missedOf({ rowCase: { row, name }, rate, target, latency, cpu, bareOfPgbench }: Summary): string[] {
  const subject = `Row ${row} (${name})`;
  return [
    ...(rate < target ? [`${subject}: ${rounded(rate)} of the bare server's requests per second; the target is at least ${target}.`] : []),
    ...(latency > maxLatencyRatio
      ? [`${subject}: ${rounded(latency)} times the bare server's latency; the target is at most ${maxLatencyRatio}.`]
      : []),
    ...(cpu !== null && cpu > maxCpuRatio
      ? [`${subject}: ${rounded(cpu)} times the bare server's CPU time; the target is at most ${maxCpuRatio}.`]
      : []),
    ...(bareOfPgbench !== null && bareOfPgbench < minPgbenchRatio
      ? [
          `${subject}: the bare server reaches ${rounded(bareOfPgbench)} of pgbench; at least ${minPgbenchRatio} is expected of an expert's.`,
        ]
      : []),
  ];
}
