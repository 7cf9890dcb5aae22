import type { Histogram } from "../lib/histogram.ts";
import { type LabelsOf, type MetricName, metricDefinitions } from "./definitions.ts";

/** A value's labels. */
export type Labels = Readonly<Partial<Record<string, string | number>>>;

/** A metric value; a histogram's values have the names of its series. */
export interface MetricValue {
  readonly value: number;
  readonly labels: Labels;
  readonly metricName?: string;
}

/** A metric with its values, as plain data that processes send each other, in prom-client's `getMetricsAsJSON` format. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  /** How several processes' values with equal labels are combined. */
  readonly aggregator: "sum";
  readonly values: readonly MetricValue[];
}

type ValueOf<Name extends MetricName, Value> = readonly [labels: Readonly<Record<LabelsOf<Name>, string | number>>, value: Value];

/** A counter or a gauge. */
export const metric = <Name extends MetricName>(name: Name, values: Iterable<ValueOf<Name, number>>): Metric => ({
  ...headerOf(name),
  values: Array.from(values, ([labels, value]) => ({ labels, value })),
});

/** A histogram. Its buckets are cumulative. */
export const histogramMetric = <Name extends MetricName>(name: Name, values: Iterable<ValueOf<Name, Histogram>>): Metric => ({
  ...headerOf(name),
  values: Array.from(values).flatMap(([labels, histogram]) => seriesOf(name, labels, histogram)),
});

const headerOf = (name: MetricName): Omit<Metric, "values"> => {
  const { type, help } = metricDefinitions[name];
  return { name, type, help, aggregator: "sum" };
};

function seriesOf(name: string, labels: Labels, { bounds, counts, sum }: Histogram): MetricValue[] {
  let count = 0;
  const buckets = counts.map((added, index): MetricValue => {
    count += added;
    return { metricName: `${name}_bucket`, labels: { le: bounds[index] ?? "+Inf", ...labels }, value: count };
  });
  return [...buckets, { metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: count }];
}
