interface Definition {
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  readonly help: string;
}

const define = <const Labels extends readonly string[]>(type: Definition["type"], labels: Labels, help: string) => ({ type, labels, help });

/** Ashlar's own metrics. docs/operations/metrics.md describes them and the metrics of Node.js processes. */
export const metricDefinitions = {
  ashlar_http_request_duration_seconds: define(
    "histogram",
    ["operation", "status"],
    "Time from a request's arrival until its response was sent or its connection closed.",
  ),
  ashlar_http_credits_total: define("counter", ["operation"], "Credits charged to keys."),
  ashlar_http_cache_requests_total: define("counter", ["result"], "Requests to endpoints by their result in the response cache."),
  ashlar_http_limited_requests_total: define("counter", ["limit"], "Requests rejected because they exceed a limit."),
  ashlar_http_received_bytes_total: define("counter", [], "Bytes received from clients."),
  ashlar_http_sent_bytes_total: define("counter", [], "Bytes sent to clients."),
  ashlar_database_connections: define("gauge", ["process", "pool", "state"], "Open connections to the database."),
  ashlar_database_max_connections: define("gauge", ["process", "pool"], "Max connections to the database."),
  ashlar_database_waiting_requests: define("gauge", ["process", "pool"], "Requests that are waiting for a database connection."),
  ashlar_database_wait_duration_seconds: define(
    "histogram",
    ["pool"],
    "Time spent waiting for a connection; requests that did not wait are not counted.",
  ),
  ashlar_database_statement_duration_seconds: define("histogram", ["pool"], "Duration of statements and of entire transactions."),
  ashlar_database_failures_total: define("counter", ["pool"], "Statements and transactions that ended with an error."),
  ashlar_replica_used: define("gauge", ["process", "replica"], "Whether a replica may run statements whose content it has replayed."),
  ashlar_replica_lag_seconds: define("gauge", ["process", "replica"], "The age of the last transaction that a replica has replayed."),
  ashlar_replica_fallbacks_total: define(
    "counter",
    ["replica"],
    "Statements that failed on a replica and were repeated on another server.",
  ),
  ashlar_index_block: define("gauge", ["chain"], "The last indexed block."),
  ashlar_index_node_block: define("gauge", ["chain"], "The node's head as last observed by the indexer."),
  ashlar_index_lag_blocks: define("gauge", ["chain"], "Blocks between the last indexed block and the node's head."),
  ashlar_index_lag_seconds: define("gauge", ["chain"], "The age of the last indexed block."),
  ashlar_index_silent_seconds: define("gauge", ["chain"], "Time since the indexer last made progress."),
  ashlar_index_stopped: define("gauge", ["chain"], "Whether indexing has stopped because of a failure."),
  ashlar_index_paused: define("gauge", ["chain"], "Whether an operator has paused indexing."),
  ashlar_index_checkpoint_block: define("gauge", ["chain", "projection"], "The block up to which a projection is complete."),
  ashlar_index_projection_failed: define("gauge", ["chain", "projection"], "Whether a projection is switched off because it failed."),
  ashlar_index_queue_entries: define("gauge", ["chain", "queue"], "Entries in a background work queue."),
  ashlar_index_queue_overdue_seconds: define("gauge", ["chain", "queue"], "How long a queue's oldest due entry has been due."),
  ashlar_index_audit_differences: define("gauge", ["chain"], "Differences that the last audit found."),
  ashlar_index_audit_timestamp_seconds: define("gauge", ["chain"], "The time of the last audit."),
  ashlar_indexer_blocks_total: define("counter", ["chain"], "Blocks written."),
  ashlar_indexer_transactions_total: define("counter", ["chain"], "Transactions written."),
  ashlar_indexer_rows_total: define("counter", ["chain"], "Rows written."),
  ashlar_indexer_reorganisation_depth_blocks: define("histogram", ["chain"], "Indexed blocks that a reorganisation replaced."),
  ashlar_node_requests_total: define("counter", ["chain"], "HTTP requests to the node."),
  ashlar_node_calls_total: define("counter", ["chain"], "JSON-RPC calls in requests to the node."),
  ashlar_node_failures_total: define("counter", ["chain", "kind"], "Requests to the node that failed as a whole."),
  ashlar_data_directory_free_bytes: define("gauge", [], "Free space on the data directory's file system."),
  ashlar_data_directory_size_bytes: define("gauge", [], "Size of the data directory's file system."),
  ashlar_metrics_source_up: define("gauge", ["source"], "Whether a source of metrics responded to this scrape."),
} as const satisfies Record<string, Definition>;

/** A metric's name. */
export type MetricName = keyof typeof metricDefinitions;
/** A metric's labels. */
export type LabelsOf<Name extends MetricName> = (typeof metricDefinitions)[Name]["labels"][number];
