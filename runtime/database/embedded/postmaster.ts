import { spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { every, poll } from "../../lib/async.ts";
import type { Binaries } from "./binaries.ts";
import { lastErrorIn } from "./cluster.ts";
import { type OsUser, spawnOptionsIn } from "./os-user.ts";
import type { EmbeddedPaths } from "./paths.ts";
import { childrenOf, isClusterProcess, orphansAmong, processExists, processesOf } from "./processes.ts";
import { settingArguments } from "./settings.ts";
import { EmbeddedUnavailable, reasonOf } from "./unavailable.ts";

/** A cluster's running server. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  isAlive(): boolean;
}

/** How long to wait for a killed server's child processes, and the signal to send after each wait to those that still run. */
const childTimeouts = [
  ["SIGTERM", 1_000],
  ["SIGQUIT", 1_000],
  ["SIGKILL", 1_000],
  [null, 5_000],
] as const;
/** The interval between checks of the lock file and processes. */
const pollMilliseconds = 10;
/** A longer log file is truncated when a server is started. */
const maxLogBytes = 10 * 1024 * 1024;

/** Finds this cluster's running server if it accepts connections, whether this or an earlier process started it. */
export function findPostmaster(paths: EmbeddedPaths): Postmaster | undefined {
  const file = readLockFile(paths);
  if (file === undefined || !file.isReady || !isClusterProcess(file.pid, paths.cluster)) return undefined;
  return { pid: file.pid, port: file.port, isAlive: () => isClusterProcess(file.pid, paths.cluster) };
}

/** Whether a server runs on this cluster, including one that is starting or stopping. */
export function isOccupied(paths: EmbeddedPaths): boolean {
  const file = readLockFile(paths);
  return file !== undefined && isClusterProcess(file.pid, paths.cluster);
}

/** Options for starting a server. */
export interface LaunchOptions {
  readonly settings: Readonly<Record<string, string>>;
  /** The port that is tried first. */
  readonly port?: number | undefined;
  /** A descriptor that the server and its child processes inherit. */
  readonly inheritedDescriptor?: number | undefined;
  /** Cancels the start. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts a server and waits until it accepts connections. It survives this process and its terminal's signals. @throws {EmbeddedUnavailable} */
export async function launch(paths: EmbeddedPaths, binaries: Binaries, osUser: OsUser, options: LaunchOptions): Promise<Postmaster> {
  await cleanUpKilledServer(paths);
  for (let attempt = 1; ; attempt++) {
    const port = attempt === 1 && options.port !== undefined ? options.port : await freePort();
    const outcome = await launchOnce(paths, binaries, osUser, { ...options, port });
    if (typeof outcome !== "string") return outcome;
    // Another process may have taken the port in the meantime.
    if (attempt === 3 || !/could not create any TCP\/IP sockets/.test(outcome))
      throw new EmbeddedUnavailable(`the server failed to start (${outcome})`);
  }
}

/** Returns the server, or why it exited immediately. */
async function launchOnce(
  paths: EmbeddedPaths,
  binaries: Binaries,
  osUser: OsUser,
  { settings, port, inheritedDescriptor, signal }: LaunchOptions & { readonly port: number },
): Promise<Postmaster | string> {
  const { options, dataDirectory } = spawnOptionsIn(paths.cluster, osUser);
  const log = openLog(paths);
  const parameters = ["-D", dataDirectory, ...settingArguments({ port: String(port), ...settings })];
  const child = spawn(join(binaries.folder, "bin", "postgres"), parameters, {
    ...options,
    detached: true,
    stdio: ["ignore", log.descriptor, log.descriptor, ...(inheritedDescriptor === undefined ? [] : [inheritedDescriptor])],
  });
  closeSync(log.descriptor);
  let failure: string | undefined;
  child.once("error", (error) => {
    failure = reasonOf(error);
  });
  child.once("exit", (status, exitSignal) => {
    failure = lastErrorIn(readFileSync(paths.log).subarray(log.start).toString()) ?? `it exited with ${exitSignal ?? `status ${status}`}`;
  });
  child.unref();
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  // After a crash the server first replays the WAL since the last checkpoint, which may take minutes.
  const outcome = await poll(async (): Promise<Postmaster | string | null> => {
    if (failure !== undefined) return failure;
    const file = readLockFile(paths);
    if (file?.pid === child.pid && file?.isReady && file.port === port) return { pid: file.pid, port, isAlive };
    if (signal?.aborted) {
      if (child.pid !== undefined) await stopPostmaster({ pid: child.pid, port, isAlive });
      throw signal.reason;
    }
    return null;
  }, every(pollMilliseconds));
  return outcome ?? "it did not become ready";
}

/** Stops a server; open transactions are rolled back. If that takes too long, the server is killed, which loses no committed data. */
export async function stopPostmaster(postmaster: Postmaster): Promise<void> {
  const timeouts = [
    ["SIGINT", 15_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", 5_000],
  ] as const;
  for (const [signal, milliseconds] of timeouts) {
    if (!postmaster.isAlive()) return;
    signalProcess(postmaster.pid, signal);
    await poll(() => !postmaster.isAlive() || null, { ...every(pollMilliseconds), withinMilliseconds: milliseconds });
  }
}

/** Starts a server's shutdown without waiting for it. */
export function interruptPostmaster(postmaster: Postmaster): void {
  if (postmaster.isAlive()) signalProcess(postmaster.pid, "SIGINT");
}

/** Kills a server whose files another server may already use. Unlike a shutdown, this neither writes a checkpoint nor removes postmaster.pid. */
export function killPostmaster({ pid, isAlive }: Postmaster, paths: EmbeddedPaths): void {
  if (!isAlive()) return;
  const children = childrenOf(pid, paths.cluster);
  for (const target of [pid, ...children]) signalProcess(target, "SIGKILL");
}

/**
 * After a server was killed, waits until its child processes have exited, and removes a lock file whose process id now belongs to another program. Child
 * processes exit when they next wait for an event; one that keeps computing is killed, because its shared memory prevents a new server from starting.
 */
async function cleanUpKilledServer(paths: EmbeddedPaths): Promise<void> {
  let children: readonly number[] = [];
  const haveExited = (): true | null => {
    children = processesOf(paths.cluster);
    return children.length === 0 || null;
  };
  for (const [signal, milliseconds] of childTimeouts) {
    if ((await poll(haveExited, { ...every(2 * pollMilliseconds), withinMilliseconds: milliseconds })) !== null) break;
    if (signal !== null) for (const pid of orphansAmong(children)) signalProcess(pid, signal);
  }
  if (children.length > 0) throw new EmbeddedUnavailable(`processes ${children.join(", ")} of an earlier server still use its data`);
  const file = readLockFile(paths);
  // The new server would mistake the program with this id for a running server. On other systems child processes cannot be listed, so PostgreSQL decides.
  if (process.platform === "linux" && file !== undefined && processExists(file.pid)) rmSync(join(paths.cluster, "postmaster.pid"));
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has exited.
  }
}

/** postmaster.pid (src/include/utils/pidfile.h): line 1 is the process id, 4 the port, 8 the state. */
function readLockFile(paths: EmbeddedPaths): { pid: number; port: number; isReady: boolean } | undefined {
  try {
    const lines = readFileSync(join(paths.cluster, "postmaster.pid"), "utf8").split("\n");
    const [pid, port] = [Number(lines[0]), Number(lines[3])];
    return Number.isInteger(pid) && pid > 1 ? { pid, port, isReady: lines[7]?.trim() === "ready" } : undefined;
  } catch {
    return undefined;
  }
}

function openLog(paths: EmbeddedPaths): { descriptor: number; start: number } {
  const descriptor = openSync(paths.log, "a", 0o600);
  const { size } = fstatSync(descriptor);
  if (size <= maxLogBytes) return { descriptor, start: size };
  closeSync(descriptor);
  return { descriptor: openSync(paths.log, "w", 0o600), start: 0 };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
