import type { CurrentPoolUsage } from "../database/pool-usage.ts";
import type { ReplicaStatus, Replicas } from "../database/replicas/replicas.ts";
import { limitNames } from "../http/errors.ts";
import { createRequestCounts, type RequestCounts } from "../http/request-counts.ts";
import { histogramMetric, type Metric, metric } from "./metric.ts";
import { createProcessMetrics } from "./process-metrics.ts";

/** A process's pools by name. */
export type Pools = Readonly<Record<string, { usage(): CurrentPoolUsage }>>;

/** The metrics of a serving process. */
export interface ServerMetrics {
  readonly counts: RequestCounts;
  collect(): Promise<readonly Metric[]>;
}

/** Database replicas by the database's name in `databases`; the control database has the empty name. */
export type ReplicasByDatabase = Readonly<Record<string, Pick<Replicas, "pools" | "status"> | undefined>>;

/** Creates the metrics for a serving process. */
export function createServerMetrics(process: string, pools: Pools, replicas: ReplicasByDatabase = {}): ServerMetrics {
  const counts = createRequestCounts();
  const collectProcess = createProcessMetrics(process);
  return {
    counts,
    collect: async () => [
      ...requestMetrics(counts),
      ...poolMetrics(process, { ...pools, ...replicaPools(replicas) }),
      ...replicaMetrics(process, replicas),
      ...(await collectProcess()),
    ],
  };
}

/** The name of a pool or replica with its database, except for the control database. */
const nameIn = (database: string, name: string): string => (database === "" ? name : `${name} of ${database}`);

const replicaPools = (replicas: ReplicasByDatabase): Pools =>
  Object.fromEntries(
    Object.entries(replicas).flatMap(([database, opened]) =>
      Object.entries(opened?.pools ?? {}).map(([name, pool]) => [nameIn(database, name), pool] as const),
    ),
  );

function replicaMetrics(process: string, byDatabase: ReplicasByDatabase): Metric[] {
  const replicas = Object.entries(byDatabase).flatMap(([database, opened]) =>
    (opened?.status() ?? []).map((status): Omit<ReplicaStatus, "number"> & { readonly name: string } => ({
      ...status,
      name: nameIn(database, `${status.number}`),
    })),
  );
  return [
    metric(
      "ashlar_replica_used",
      replicas.map(({ name, isUsed }) => [{ process, replica: name }, Number(isUsed)] as const),
    ),
    metric(
      "ashlar_replica_lag_seconds",
      replicas.flatMap(({ name, lagSeconds }) => (lagSeconds === null ? [] : [[{ process, replica: name }, lagSeconds] as const])),
    ),
    metric(
      "ashlar_replica_fallbacks_total",
      replicas.map(({ name, fallbackCount }) => [{ replica: name }, fallbackCount] as const),
    ),
  ];
}

const entriesOf = <Key extends string, Value>(values: Readonly<Record<Key, Value>>): [string, Value][] => Object.entries(values);

function requestMetrics({ durations, hundredths, cache, limited, bytes }: RequestCounts): Metric[] {
  const observed = [...durations].flatMap(([operation, byStatus]) =>
    [...byStatus].map(([status, histogram]) => [{ operation, status }, histogram] as const),
  );
  return [
    histogramMetric("ashlar_http_request_duration_seconds", observed),
    metric(
      "ashlar_http_credits_total",
      [...hundredths].map(([operation, sum]) => [{ operation }, sum / 100] as const),
    ),
    metric(
      "ashlar_http_cache_requests_total",
      entriesOf(cache).map(([state, count]) => [{ result: state.toLowerCase() }, count] as const),
    ),
    metric(
      "ashlar_http_limited_requests_total",
      limitNames.map((limit) => [{ limit }, limited.get(limit) ?? 0] as const),
    ),
    metric("ashlar_http_received_bytes_total", [[{}, bytes.received]]),
    metric("ashlar_http_sent_bytes_total", [[{}, bytes.sent]]),
  ];
}

/** The metrics of a process's pools. */
export function poolMetrics(process: string, pools: Pools): Metric[] {
  const used = entriesOf(pools).map(([pool, { usage }]) => ({ pool, usage: usage() }));
  const gauge = (value: (usage: CurrentPoolUsage) => number) => used.map(({ pool, usage }) => [{ process, pool }, value(usage)] as const);
  return [
    metric(
      "ashlar_database_connections",
      used.flatMap(({ pool, usage }) => entriesOf(usage.connections).map(([state, count]) => [{ process, pool, state }, count] as const)),
    ),
    metric(
      "ashlar_database_max_connections",
      gauge(({ size }) => size),
    ),
    metric(
      "ashlar_database_waiting_requests",
      gauge(({ waitingCount }) => waitingCount),
    ),
    histogramMetric(
      "ashlar_database_wait_duration_seconds",
      used.map(({ pool, usage }) => [{ pool }, usage.waits] as const),
    ),
    histogramMetric(
      "ashlar_database_statement_duration_seconds",
      used.map(({ pool, usage }) => [{ pool }, usage.statements] as const),
    ),
    metric(
      "ashlar_database_failures_total",
      used.map(({ pool, usage }) => [{ pool }, usage.failedCount] as const),
    ),
  ];
}
