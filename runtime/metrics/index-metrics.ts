import { type Metric, metric } from "./metric.ts";

/** The state of the index according to the database; null means unknown. */
export interface IndexStatus {
  readonly chains: readonly {
    readonly name: string;
    readonly block: number | null;
    readonly timestamp: number | null;
    readonly node_block: number | null;
    readonly silent_seconds: number | null;
    readonly is_stopped: boolean;
    readonly paused_at: Date | null;
  }[];
  readonly checkpoints: readonly {
    readonly name: string;
    readonly projection: string;
    readonly block_number: number;
    readonly has_failed: boolean;
  }[];
  readonly queues: readonly { readonly name: string; readonly queue: string; readonly entries: number; readonly overdue_seconds: number }[];
  /** Each audited chain's last audit. */
  readonly audits: readonly { readonly name: string; readonly time: Date; readonly details: { readonly differences: number } }[];
}

/** The index metrics, without unknown values. */
export function indexMetrics({ chains, checkpoints, queues, audits }: IndexStatus, now: Date): Metric[] {
  const seconds = now.getTime() / 1000;
  const perChain = (value: (chain: IndexStatus["chains"][number]) => number | null) =>
    chains.flatMap((chain) => {
      const found = value(chain);
      return found === null ? [] : [[{ chain: chain.name }, found] as const];
    });
  const perProjection = (value: (row: IndexStatus["checkpoints"][number]) => number) =>
    checkpoints.map((row) => [{ chain: row.name, projection: row.projection }, value(row)] as const);
  const perQueue = (value: (row: IndexStatus["queues"][number]) => number) =>
    queues.map((row) => [{ chain: row.name, queue: row.queue }, value(row)] as const);
  const perAudit = (value: (row: IndexStatus["audits"][number]) => number) =>
    audits.map((row) => [{ chain: row.name }, value(row)] as const);
  return [
    metric(
      "ashlar_index_block",
      perChain(({ block }) => block),
    ),
    metric(
      "ashlar_index_node_block",
      perChain(({ node_block: block }) => block),
    ),
    metric(
      "ashlar_index_lag_blocks",
      perChain(({ block, node_block: head }) => (block === null || head === null ? null : Math.max(0, head - block))),
    ),
    metric(
      "ashlar_index_lag_seconds",
      perChain(({ timestamp }) => (timestamp === null ? null : Math.max(0, seconds - timestamp))),
    ),
    metric(
      "ashlar_index_silent_seconds",
      perChain(({ silent_seconds: silent }) => silent),
    ),
    metric(
      "ashlar_index_stopped",
      perChain(({ is_stopped: isStopped }) => Number(isStopped)),
    ),
    metric(
      "ashlar_index_paused",
      perChain(({ paused_at: pausedAt }) => Number(pausedAt !== null)),
    ),
    metric(
      "ashlar_index_checkpoint_block",
      perProjection(({ block_number: block }) => block),
    ),
    metric(
      "ashlar_index_projection_failed",
      perProjection(({ has_failed: hasFailed }) => Number(hasFailed)),
    ),
    metric(
      "ashlar_index_queue_entries",
      perQueue(({ entries }) => entries),
    ),
    metric(
      "ashlar_index_queue_overdue_seconds",
      perQueue(({ overdue_seconds: overdue }) => overdue),
    ),
    metric(
      "ashlar_index_audit_differences",
      perAudit(({ details: { differences } }) => differences),
    ),
    metric(
      "ashlar_index_audit_timestamp_seconds",
      perAudit(({ time }) => time.getTime() / 1000),
    ),
  ];
}
