/**
 * Settings for one indexer that writes in batches, for many short reads, and for a machine that is shared with a few other processes.
 * Durability is PostgreSQL's default: fsync and synchronous_commit are on, so committed data survives a power failure.
 */
const settings: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  // TCP only: the path of a Unix socket is limited to 107 bytes, and data directories may be deep.
  unix_socket_directories: "",
  shared_buffers: "256MB",
  effective_cache_size: "1GB",
  work_mem: "16MB",
  maintenance_work_mem: "128MB",
  // A backfill writes gigabytes: with fewer checkpoints, fewer full-page images are written.
  max_wal_size: "4GB",
  checkpoint_timeout: "15min",
  // No replica reads this server.
  wal_level: "minimal",
  max_wal_senders: "0",
  // Data is assumed to be on solid-state disks or in memory.
  random_page_cost: "1.1",
  // Reads are short index scans, for which JIT and parallel workers cost more than they save.
  jit: "off",
  max_parallel_workers_per_gather: "0",
  timezone: "UTC",
  log_timezone: "UTC",
  // Only messages of the server are logged, without statements and their values.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
};

/** The settings as command-line arguments, `-c name=value`; those of the caller come last and take precedence. */
export function settingArguments(more: Readonly<Record<string, string>>): string[] {
  return Object.entries({ ...settings, ...more }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
