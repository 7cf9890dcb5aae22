import { median } from "../result.ts";
import { bothCpu, type Cell } from "./cells.ts";
import { type Comparison, comparedConnectionsOf, type Pair, type RowFigures } from "./measure-row.ts";
import { type Mark, markOfMax, markOfRate, rateTargetOf } from "./targets.ts";

/** Ratios of the product to the bare server: the median over the pairs, and the extremes. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** A row's figures that have a target, with their marks. */
export interface Summary extends RowFigures {
  readonly compared: Comparison;
  readonly rate: Spread;
  readonly target: number;
  readonly latency: number;
  /** Null if the system does not report CPU times. */
  readonly cpu: number | null;
  readonly marks: { readonly rate: Mark; readonly latency: Mark | ""; readonly cpu: Mark | "" };
}

const spreadOf = (values: readonly number[]): Spread => ({ median: median(values), min: Math.min(...values), max: Math.max(...values) });

/** A comparison's rate ratios. */
export const ratesOf = ({ pairs }: Comparison): Spread => spreadOf(pairs.map(({ product, bare }) => product.perSecond / bare.perSecond));

/** One server's figure: the median over the pairs; null if the system does not report it. */
export function medianOf({ pairs }: Comparison, server: keyof Pair, figure: (cell: Cell) => number | null): number | null {
  const values = pairs.map((pair) => figure(pair[server])).filter((value) => value !== null);
  return values.length === 0 ? null : median(values);
}

/** A row's figures that have a target. @throws {Error} if the row has no pair. */
export function summaryOf(figures: RowFigures): Summary {
  const { comparisons, rowCase } = figures;
  const measured = comparisons.map(({ connections }) => connections);
  const [single, compared] = [comparisons[0], comparisons.find(({ connections }) => connections === comparedConnectionsOf(measured))];
  if (single === undefined || compared === undefined) throw new Error(`Row ${rowCase.row} was not measured.`);
  const latency = median(single.pairs.map(({ product, bare }) => product.p50 / bare.p50));
  const cpuRatios = compared.pairs.map(({ product, bare }) => (bothCpu(product) ?? Number.NaN) / (bothCpu(bare) ?? Number.NaN));
  const cpu = cpuRatios.some(Number.isNaN) ? null : median(cpuRatios);
  const rate = ratesOf(compared);
  const marks = { rate: markOfRate(rowCase.kind, rate.median), latency: markOfMax("latency", latency), cpu: markOfMax("cpu", cpu) };
  return { ...figures, compared, rate, target: rateTargetOf(rowCase.kind), latency, cpu, marks };
}
