import { totalmem } from "node:os";
import process from "node:process";
import { availableCores } from "../../lib/available-cores.ts";

/** The machine properties on which some settings depend. */
export interface Machine {
  /** Memory in bytes, or the container's memory limit if there is one. */
  readonly memory: number;
  /** The cores that the process may use. */
  readonly cores: number;
}

const megabyte = 1024 ** 2;
const thisMachine = (): Machine => {
  const limit = process.constrainedMemory();
  return { memory: limit > 0 ? Math.min(limit, totalmem()) : totalmem(), cores: availableCores() };
};

/**
 * max_connections on a small machine. A larger one has 60 connections for the other processes, and 14 per core: 6 for requests, up to 6 for a
 * worker's other work, and a reserve of 10 % (`commands/pool-sizes.ts`).
 */
const minConnections = 100;
const connectionsPerCore = 14;
const otherConnections = 60;

/**
 * Settings that depend on the machine, which PostgreSQL may share with the indexer, the server and the node. Shared buffers are a sixteenth of the memory,
 * from 128 MB to 4 GB; `effective_cache_size` assumes that a quarter of it caches the database.
 */
export function machineSettings({ memory, cores }: Machine): Readonly<Record<string, string>> {
  const buffers = Math.min(4096, Math.max(128, Math.floor(memory / megabyte / 16)));
  return {
    shared_buffers: `${buffers}MB`,
    effective_cache_size: `${4 * buffers}MB`,
    max_connections: String(Math.max(minConnections, connectionsPerCore * cores + otherConnections)),
  };
}

/**
 * Settings for one indexer that writes in batches, for many short reads, and for a machine that is shared with a few other processes.
 * Durability is PostgreSQL's default: fsync and synchronous_commit are on, so committed data survives a power failure.
 */
const settings: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  // TCP only: a Unix socket path is limited to 107 bytes, and data directories may be deep.
  unix_socket_directories: "",
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
  // Only server messages are logged, without statements and their values.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
};

/** The settings as command-line arguments, `-c name=value`; the caller's settings come last and take precedence. */
export function settingArguments(more: Readonly<Record<string, string>>): string[] {
  return Object.entries({ ...settings, ...machineSettings(thisMachine()), ...more }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
