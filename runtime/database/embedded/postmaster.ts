import { spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, inside } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { complaintIn } from "./cluster.ts";
import type { Places } from "./places.ts";
import { allWorkingIn, exists, orphansAmong, worksIn } from "./processes.ts";
import { settingArguments } from "./settings.ts";
import { EmbeddedUnavailable, reasonOf } from "./unavailable.ts";

/** A running server of one cluster. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  alive(): boolean;
}

/** How long a killed server's helpers are waited for, and what is sent to those that are left then. */
const helperBounds = [
  ["SIGTERM", 1_000],
  ["SIGQUIT", 1_000],
  ["SIGKILL", 1_000],
  [null, 5_000],
] as const;
const logBytes = 10 * 1024 * 1024;

/** The server that runs on this cluster and takes connections, ours or an earlier process's. */
export function findPostmaster(places: Places): Postmaster | undefined {
  const file = readLockFile(places);
  if (file === undefined || !file.ready || !worksIn(file.pid, places.cluster)) return undefined;
  return { pid: file.pid, port: file.port, alive: () => worksIn(file.pid, places.cluster) };
}

/** Whether a server is on this cluster that may still be starting or stopping. */
export function isOccupied(places: Places): boolean {
  const file = readLockFile(places);
  return file !== undefined && worksIn(file.pid, places.cluster);
}

/** How a server is started. */
export interface LaunchOptions {
  readonly settings: Readonly<Record<string, string>>;
  /** The port that is tried first. */
  readonly port?: number | undefined;
  /** Ends the start. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts a server and waits until it takes connections. It survives us, and what a terminal sends to our process group. @throws {EmbeddedUnavailable} */
export async function launch(places: Places, binaries: Binaries, account: Account, options: LaunchOptions): Promise<Postmaster> {
  await clearRemains(places);
  for (let attempt = 1; ; attempt++) {
    const port = attempt === 1 && options.port !== undefined ? options.port : await freePort();
    const outcome = await launchOnce(places, binaries, account, { ...options, port });
    if (typeof outcome !== "string") return outcome;
    // Another process may have taken the port meanwhile.
    if (attempt === 3 || !/could not create any TCP\/IP sockets/.test(outcome))
      throw new EmbeddedUnavailable(`the server does not start (${outcome})`);
  }
}

/** The server, or why it ended at once. */
async function launchOnce(
  places: Places,
  binaries: Binaries,
  account: Account,
  { settings, port, signal }: LaunchOptions & { readonly port: number },
): Promise<Postmaster | string> {
  const { options, dataFolder } = inside(places.cluster, account);
  const log = openLog(places);
  const parameters = ["-D", dataFolder, ...settingArguments({ port: String(port), ...settings })];
  const child = spawn(join(binaries.folder, "bin", "postgres"), parameters, {
    ...options,
    detached: true,
    stdio: ["ignore", log.descriptor, log.descriptor],
  });
  closeSync(log.descriptor);
  let failure: string | undefined;
  child.once("error", (error) => {
    failure = reasonOf(error);
  });
  child.once("exit", (status, signal) => {
    failure = complaintIn(readFileSync(places.log).subarray(log.start).toString()) ?? `it ended with ${signal ?? `status ${status}`}`;
  });
  child.unref();
  const alive = (): boolean => child.exitCode === null && child.signalCode === null;
  // After a crash it first replays what was written since the last checkpoint: it may take minutes, and is alive.
  while (failure === undefined) {
    const file = readLockFile(places);
    if (file?.pid === child.pid && file?.ready && file.port === port) return { pid: file.pid, port, alive };
    if (signal?.aborted) {
      if (child.pid !== undefined) await stopPostmaster({ pid: child.pid, port, alive });
      throw signal.reason;
    }
    await sleep(10);
  }
  return failure;
}

/** Ends a server: open transactions are rolled back; when that takes too long it is ended as by a power failure, which loses nothing committed. */
export async function stopPostmaster(postmaster: Postmaster): Promise<void> {
  const bounds = [
    ["SIGINT", 15_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", 5_000],
  ] as const;
  for (const [signal, milliseconds] of bounds) {
    if (!postmaster.alive()) return;
    signalProcess(postmaster.pid, signal);
    for (const end = Date.now() + milliseconds; Date.now() < end && postmaster.alive(); ) await sleep(10);
  }
}

/** Has a server shut down as on SIGINT, without waiting for it. */
export function interruptPostmaster(postmaster: Postmaster): void {
  if (postmaster.alive()) signalProcess(postmaster.pid, "SIGINT");
}

/**
 * After a server was killed: waits until its helpers have ended and removes a lock file whose number is another program's by now. Helpers end by
 * themselves when they next wait for something; one that computes is ended, as it holds the shared memory without which no new server starts.
 */
async function clearRemains(places: Places): Promise<void> {
  let helpers = allWorkingIn(places.cluster);
  for (const [signal, milliseconds] of helperBounds) {
    for (const end = Date.now() + milliseconds; helpers.length > 0 && Date.now() < end; helpers = allWorkingIn(places.cluster))
      await sleep(20);
    if (signal !== null) for (const pid of orphansAmong(helpers)) signalProcess(pid, signal);
  }
  if (helpers.length > 0) throw new EmbeddedUnavailable(`processes ${helpers.join(", ")} of an earlier server still work on its data`);
  const file = readLockFile(places);
  // The server would take that program for another server. Not so on other systems, where we cannot see helpers: there it judges alone.
  if (process.platform === "linux" && file !== undefined && exists(file.pid)) rmSync(join(places.cluster, "postmaster.pid"));
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** postmaster.pid (src/include/utils/pidfile.h): line 1 the process, 4 the port, 8 the state. */
function readLockFile(places: Places): { pid: number; port: number; ready: boolean } | undefined {
  try {
    const lines = readFileSync(join(places.cluster, "postmaster.pid"), "utf8").split("\n");
    const [pid, port] = [Number(lines[0]), Number(lines[3])];
    return Number.isInteger(pid) && pid > 1 ? { pid, port, ready: lines[7]?.trim() === "ready" } : undefined;
  } catch {
    return undefined;
  }
}

function openLog(places: Places): { descriptor: number; start: number } {
  const descriptor = openSync(places.log, "a", 0o600);
  const { size } = fstatSync(descriptor);
  if (size <= logBytes) return { descriptor, start: size };
  closeSync(descriptor);
  return { descriptor: openSync(places.log, "w", 0o600), start: 0 };
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
