import { existsSync } from "node:fs";
import pg from "pg";
import { every, poll } from "../lib/async.ts";
import { findBinaries } from "./embedded/binaries.ts";
import { prepareCluster } from "./embedded/cluster.ts";
import { acquireLock, type DirectoryLock, refuseOtherContainer } from "./embedded/lock.ts";
import { findOrphan } from "./embedded/orphan.ts";
import { chooseOsUser } from "./embedded/os-user.ts";
import { claim } from "./embedded/ownership.ts";
import { type EmbeddedPaths, findPaths } from "./embedded/paths.ts";
import { findPostmaster, interruptPostmaster, killPostmaster, launch, type Postmaster, stopPostmaster } from "./embedded/postmaster.ts";
import { completeSwap } from "./embedded/swap.ts";
import { EmbeddedUnavailable, reasonOf } from "./embedded/unavailable.ts";
import { urlOf } from "./embedded/url.ts";

export { EmbeddedUnavailable } from "./embedded/unavailable.ts";

export interface EmbeddedOptions {
  /** The cluster is in its subfolder `postgres`. */
  readonly dataDirectory: string;
  /** Server settings that override the defaults, if this call starts the server. */
  readonly settings?: Readonly<Record<string, string>>;
  /** How long to wait for a server that another process starts or stops. */
  readonly waitMilliseconds?: number;
  /** The port to try first: clients of a server that exited still use its port. */
  readonly port?: number;
  /** Whether to create a missing cluster; true by default. */
  readonly mayCreate?: boolean;
  /** Aborts the start, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called before a wait of several seconds for another process that may still use the data directory. */
  readonly onWait?: (message: string) => void;
}

export interface EmbeddedServer {
  /** With the password: a secret. */
  readonly url: string;
  /** False if another process started the server and will stop it. */
  readonly isOwner: boolean;
  readonly port: number;
  /** Aborts if another process has taken the data directory of this process's server, which is then killed. */
  readonly lost: AbortSignal;
  /** Whether the server's process is running. */
  isAlive(): boolean;
  /** Stops the server and waits for it to exit, if this process owns it. */
  stop(): Promise<void>;
  /** Signals the server to shut down without waiting, if this process owns it: for a process that exits immediately. */
  interrupt(): void;
}

/** The interval between attempts to start or join a server. */
const pollMilliseconds = 50;

/**
 * Starts a data directory's embedded server, takes it over from a process that died without stopping it, or joins it while another process owns it.
 * @throws {EmbeddedUnavailable} if that is impossible; the message contains the reason and the alternative.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dataDirectory, waitMilliseconds = 30_000, signal } = options;
  const paths = findPaths(dataDirectory);
  const attempt = async (): Promise<EmbeddedServer | null> => {
    signal?.throwIfAborted();
    const ownership = await claim(paths.root);
    if (ownership === undefined) {
      const joined = await join(paths);
      if (joined === null) await refuseOtherContainer(paths, signal);
      return joined;
    }
    try {
      const lock = await acquireLock(paths, { signal, onWait: options.onWait });
      const release = (): Promise<void> => lock.release().finally(ownership.release);
      return await startOwned(paths, lock, release, options);
    } catch (error) {
      await ownership.release();
      throw error;
    }
  };
  const embedded = await poll(attempt, { ...every(pollMilliseconds), withinMilliseconds: waitMilliseconds });
  if (embedded === null) throw new EmbeddedUnavailable(`another process has claimed ${paths.root}, and its server does not respond`);
  return embedded;
}

async function startOwned(
  paths: EmbeddedPaths,
  { presenceDescriptor, lost }: DirectoryLock,
  release: () => Promise<void>,
  options: EmbeddedOptions,
): Promise<EmbeddedServer> {
  const { settings = {}, mayCreate = true, port, signal } = options;
  let postmaster: Postmaster | undefined;
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (postmaster !== undefined) await stopPostmaster(postmaster);
    await release();
  };
  try {
    completeSwap(paths);
    postmaster = await findOrphan(paths, signal);
    if (postmaster !== undefined && existsSync(paths.upgradeDirectory)) {
      // Left by a killed upgrade; it does not accept writes.
      await stopPostmaster(postmaster);
      postmaster = undefined;
    }
    if (postmaster === undefined) {
      if (!mayCreate && !existsSync(paths.cluster)) throw new EmbeddedUnavailable(`its data directory ${paths.cluster} is gone`);
      const osUser = chooseOsUser(paths);
      const binaries = findBinaries(paths, osUser);
      await prepareCluster(paths, binaries, osUser, settings.fsync !== "off");
      postmaster = await launch(paths, binaries, osUser, { settings, port, inheritedDescriptor: presenceDescriptor, signal });
    }
    const running = postmaster;
    lost.addEventListener("abort", () => killPostmaster(running, paths));
    if (lost.aborted) killPostmaster(running, paths);
    lost.throwIfAborted();
    const url = urlOf(paths, running);
    await probe(url);
    return {
      url,
      isOwner: true,
      port: running.port,
      lost,
      isAlive: running.isAlive,
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
      interrupt: () => interruptPostmaster(running),
    };
  } catch (error) {
    await stop();
    if (error instanceof EmbeddedUnavailable || (signal?.aborted && error === signal.reason)) throw error;
    throw new EmbeddedUnavailable(`starting it failed (${reasonOf(error)})`);
  }
}

async function join(paths: EmbeddedPaths): Promise<EmbeddedServer | null> {
  const postmaster = findPostmaster(paths);
  if (postmaster === undefined) return null;
  const { port, isAlive } = postmaster;
  try {
    const url = urlOf(paths, postmaster);
    await probe(url);
    return {
      url,
      isOwner: false,
      port,
      lost: new AbortController().signal,
      isAlive,
      stop: async () => undefined,
      interrupt: () => undefined,
    };
  } catch {
    return null; // The server is starting or stopping.
  }
}

/** Checks that the server accepts logins and queries. */
async function probe(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("SELECT 1");
  } finally {
    await client.end().catch(() => undefined);
  }
}
