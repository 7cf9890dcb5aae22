import { AggregatorRegistry } from "prom-client";
import { type Metric, metric } from "./metric.ts";

/** A metrics source: this process, another process or the database. */
export interface MetricSource {
  readonly name: string;
  /** Rejects if the source does not respond. */
  collect(): Promise<readonly Metric[]>;
  /** The metrics to report if the source does not respond; none by default. */
  fallback?(): readonly Metric[];
}

/** The sources that a scrape reads. */
export interface MetricSources {
  add(source: MetricSource): void;
  /** Collects and renders the metrics (exposition format 0.0.4). Concurrent scrapes share one result. */
  render(): Promise<string>;
}

/** Less than the default scrape timeout, 10 s. */
const sourceMilliseconds = 5_000;

/** Creates an empty list of sources. */
export function createMetricSources(): MetricSources {
  const sources: MetricSource[] = [];
  let rendering: Promise<string> | undefined;
  const render = async (): Promise<string> => {
    const collected = await Promise.all(sources.map(collectInTime));
    const up = metric(
      "ashlar_metrics_source_up",
      sources.map(({ name }, index) => [{ source: name }, collected[index]?.isUp === true ? 1 : 0] as const),
    );
    return combine([...collected.map(({ metrics }) => metrics), [up]]).metrics();
  };
  return {
    add: (source) => void sources.push(source),
    render() {
      rendering ??= render().finally(() => {
        rendering = undefined;
      });
      return rendering;
    },
  };
}

/** Adds up values with equal labels. */
const combine = (collected: readonly (readonly Metric[])[]) => AggregatorRegistry.aggregate([...collected]);

async function collectInTime(source: MetricSource): Promise<{ readonly metrics: readonly Metric[]; readonly isUp: boolean }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), sourceMilliseconds);
  });
  const collected = await Promise.race([source.collect().catch(() => null), late]);
  clearTimeout(timer);
  return { metrics: collected ?? source.fallback?.() ?? [], isUp: collected !== null };
}
