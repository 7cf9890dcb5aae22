/** The numbers of statements that a server has run since its start, by connection pool: `serving`, `control`, `replica 1` and so on. */
export type StatementCounts = ReadonlyMap<string, number>;

const metric = /^ashlar_database_statement_duration_seconds_count\{([^}]*)\} (\S+)$/gm;

/** Reads the counts from a server's metrics, which include all of its processes. */
export async function readStatementCounts(metricsPort: number): Promise<StatementCounts> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`/metrics returned status ${response.status}.`);
  const counts = new Map<string, number>();
  for (const [, labels = "", value] of text.matchAll(metric)) {
    const pool = /pool="([^"]*)"/.exec(labels)?.[1] ?? "";
    counts.set(pool, (counts.get(pool) ?? 0) + Number(value));
  }
  return counts;
}

const replicaPool = /^replica \d+$/;

/** The share of response statements between two counts that ran on replicas; null if there were none. */
export function shareOnReplicas(before: StatementCounts, after: StatementCounts): number | null {
  const ran = (isCounted: (pool: string) => boolean): number =>
    [...after].reduce((sum, [pool, count]) => (isCounted(pool) ? sum + count - (before.get(pool) ?? 0) : sum), 0);
  const onReplicas = ran((pool) => replicaPool.test(pool));
  const all = onReplicas + ran((pool) => pool === "serving");
  return all === 0 ? null : onReplicas / all;
}
