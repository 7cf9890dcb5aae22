import { randomBytes } from "node:crypto";
import { closeSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { every, nullOnAbort, poll, sleep } from "../../lib/async.ts";
import {
  createLockRecord,
  describeOwner,
  isSameContainer,
  isSameMachine,
  type LockRecord,
  type LockState,
  parseRecord,
  readLock,
} from "./lock-record.ts";
import type { EmbeddedPaths } from "./paths.ts";
import { hasPresence, openPresence } from "./presence.ts";
import { EmbeddedUnavailable, reasonOf } from "./unavailable.ts";

/** A data directory's lock, which also excludes processes in other containers and on other machines (docs/adr/0033-data-directory-lock.md). */
export interface DirectoryLock {
  /** A descriptor that the server inherits (`presence.ts`). */
  readonly presenceDescriptor: number | undefined;
  /** Aborts if another process has taken the lock, or it cannot be renewed; the reason is an EmbeddedUnavailable. */
  readonly lost: AbortSignal;
  /** Removes the lock, unless it was lost or server processes still run. */
  release(): Promise<void>;
}

/** Options for acquiring the lock. */
export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called before waiting for an owner that may have ended. */
  readonly onWait?: ((message: string) => void) | undefined;
  /** A lock that was not renewed for this time is stale; `staleMilliseconds` by default. */
  readonly staleMilliseconds?: number;
}

/** The renewal interval, how long a renewal may take, and how many in a row may fail: the owner stops before another machine considers its lock stale. */
const renewal = { interval: 2_000, max: 4_000, failures: 3 } as const;
/** A lock that was not renewed for this time is stale (docs/operations/self-healing.md). */
const staleMilliseconds = 20_000;
/** If several processes take a stale lock, the last one to replace the file keeps it; after this time, the others notice. */
const settleMilliseconds = 1_000;

/**
 * Locks a data directory that this process has claimed (`ownership.ts`). A lock whose owner has ended is taken over: immediately if that is certain,
 * otherwise once it is stale. @throws {EmbeddedUnavailable} if another process has the lock, or its server's processes still run
 */
export async function acquireLock(paths: EmbeddedPaths, options: LockOptions = {}): Promise<DirectoryLock> {
  const thisRecord = createLockRecord(randomBytes(16).toString("hex"));
  try {
    const held = readLock(paths.lock);
    if (held !== undefined) await checkEnded(paths, held, thisRecord, options);
    const handle = await (held === undefined ? write(paths.lock, thisRecord) : replace(paths.lock, thisRecord));
    const presenceDescriptor = openPresence(paths.presence);
    const lock = holdLock(paths, thisRecord, handle, presenceDescriptor);
    // The claim excludes other processes in this container.
    if (held?.record && isSameContainer(held.record, thisRecord)) return lock;
    if (held !== undefined) await sleep(settleMilliseconds, options.signal);
    const current = readLock(paths.lock)?.record;
    if (current?.id === thisRecord.id) return lock;
    await lock.release();
    throw inUse(paths, current);
  } catch (error) {
    // Another process has created the lock in the meantime.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw inUse(paths, readLock(paths.lock)?.record);
    if (error instanceof EmbeddedUnavailable || (options.signal?.aborted && error === options.signal.reason)) throw error;
    throw new EmbeddedUnavailable(`its data directory cannot be locked with ${paths.lock} (${reasonOf(error)})`);
  }
}

/** Refuses a data directory claimed by a process in another container, which this process cannot join. @throws {EmbeddedUnavailable} */
export async function refuseOtherContainer(paths: EmbeddedPaths, signal: AbortSignal | undefined): Promise<void> {
  const thisRecord = createLockRecord("");
  const held = readLock(paths.lock);
  if (!held?.record || isSameContainer(held.record, thisRecord)) return;
  if (await isRenewed(paths, held, 3 * renewal.interval, signal)) throw inUse(paths, held.record);
}

/** Returns if a lock's owner has ended. @throws {EmbeddedUnavailable} if it has not, or its server's processes still run */
async function checkEnded(paths: EmbeddedPaths, held: LockState, thisRecord: LockRecord, options: LockOptions): Promise<void> {
  const { record } = held;
  // This process has the claim, so the owner has ended. If its server still runs, this process finds it.
  if (record !== null && isSameContainer(record, thisRecord)) return;
  const { signal, onWait, staleMilliseconds: milliseconds = staleMilliseconds } = options;
  const isHere = record !== null && isSameMachine(record, thisRecord);
  if (isHere && hasPresence(paths.presence) === false) return;
  onWait?.(`Waiting up to ${milliseconds / 1_000} s: ${describeOwner(record)} may still use ${paths.root}.`);
  const hasEnded = (): boolean => isHere && hasPresence(paths.presence) === false;
  if (await isRenewed(paths, held, milliseconds, signal, hasEnded)) throw inUse(paths, readLock(paths.lock)?.record);
  if (isHere && hasPresence(paths.presence) === true)
    throw new EmbeddedUnavailable(
      `${describeOwner(record)}, which runs in another container, does not renew its lock on ${paths.root}, but it or its server still runs; stop that container`,
    );
}

/** Whether a lock is renewed or replaced within a given time; the wait ends early if its owner has ended. */
async function isRenewed(
  paths: EmbeddedPaths,
  held: LockState,
  milliseconds: number,
  signal: AbortSignal | undefined,
  hasEnded: () => boolean = () => false,
): Promise<boolean> {
  const read = (): boolean | null => {
    const current = readLock(paths.lock);
    if (current !== undefined && current.renewal !== held.renewal) return true;
    return hasEnded() ? false : null;
  };
  const outcome = await poll(read, { ...every(100), signal, withinMilliseconds: milliseconds });
  signal?.throwIfAborted();
  return outcome === true;
}

const inUse = (paths: EmbeddedPaths, record: LockRecord | null | undefined): EmbeddedUnavailable =>
  new EmbeddedUnavailable(
    `${describeOwner(record)}, in another container or on another machine, uses the data directory ${paths.root} and renews its lock ${paths.lock}; ` +
      "stop it, or set ASHLAR_DATA_DIR to another directory",
  );

/** Replaces a lock with a new file: its former owner renews the old file, which is no longer read. */
async function replace(path: string, record: LockRecord): Promise<FileHandle> {
  const unfinished = `${path}.${record.id}`;
  const handle = await write(unfinished, record);
  renameSync(unfinished, path);
  return handle;
}

async function write(path: string, record: LockRecord): Promise<FileHandle> {
  const handle = await open(path, "wx", 0o600);
  await handle.writeFile(`${JSON.stringify(record)}\n`);
  return handle;
}

/** Renews a lock until it is released or lost. */
function holdLock(paths: EmbeddedPaths, thisRecord: LockRecord, handle: FileHandle, presenceDescriptor: number | undefined): DirectoryLock {
  const lost = new AbortController();
  const released = new AbortController();
  const isOwn = async (): Promise<boolean> => {
    const text = await readFile(paths.lock, "utf8").catch((error: NodeJS.ErrnoException) => {
      // A removed file no longer protects the directory.
      if (error.code === "ENOENT") return "";
      throw error;
    });
    return parseRecord(text)?.id === thisRecord.id;
  };
  /** Renews the lock, and returns whether this process still owns it; null if that fails. */
  const renew = async (): Promise<boolean | null> => {
    try {
      const now = new Date();
      await handle.utimes(now, now);
      return await isOwn();
    } catch {
      return null;
    }
  };
  const lose = (reason: string): void => lost.abort(new EmbeddedUnavailable(`${reason}, and its server was stopped`));
  const renewUntilReleased = async (): Promise<void> => {
    for (let failures = 0; ; ) {
      await sleep(renewal.interval, released.signal, { ref: false });
      if (released.signal.aborted) return;
      const isHeld = await nullOnAbort(renew(), AbortSignal.any([AbortSignal.timeout(renewal.max), released.signal]));
      if (released.signal.aborted) return;
      failures = isHeld === null ? failures + 1 : 0;
      if (isHeld === false) return lose(`its data directory's lock ${paths.lock} was taken by another process or removed`);
      if (failures === renewal.failures) return lose(`its data directory's lock ${paths.lock} cannot be renewed`);
    }
  };
  const renewing = renewUntilReleased();
  return {
    presenceDescriptor,
    lost: lost.signal,
    async release() {
      released.abort();
      await renewing;
      await handle.close().catch(() => undefined);
      if (presenceDescriptor !== undefined) closeSync(presenceDescriptor);
      if (lost.signal.aborted || !(await isOwn().catch(() => false)) || hasPresence(paths.presence) === true) return;
      rmSync(paths.presence, { force: true });
      rmSync(paths.lock, { force: true });
    },
  };
}
