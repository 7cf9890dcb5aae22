import { readFileSync, readlinkSync, statSync } from "node:fs";
import { hostname } from "node:os";

/** The contents of a data directory's lock file. */
export interface LockRecord {
  /** Random for each acquisition. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** The machine's boot id, which its containers share; empty if it is unknown. */
  readonly boot: string;
  /** The network and process id namespaces, in which local sockets and processes are visible; empty on systems without namespaces. */
  readonly network: string;
  readonly processes: string;
}

/** A lock file's state: the record is null if the file is damaged. */
export interface LockState {
  readonly record: LockRecord | null;
  /** Changes with each renewal. It is compared for equality only, because another machine's clock may differ. */
  readonly renewal: string;
}

/** This process's record. */
export const createLockRecord = (id: string): LockRecord => {
  const read = (get: () => string): string => {
    try {
      return get().trim();
    } catch {
      return "";
    }
  };
  const isLinux = process.platform === "linux";
  return {
    id,
    host: hostname(),
    pid: process.pid,
    // Other systems have no containers that share the machine: the claim of `ownership.ts` decides there.
    boot: isLinux ? read(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")) : hostname(),
    network: isLinux ? read(() => readlinkSync("/proc/self/ns/net")) : "",
    processes: isLinux ? read(() => readlinkSync("/proc/self/ns/pid")) : "",
  };
};

/** Whether two processes run on the same machine, without a reboot between their starts. */
export const isSameMachine = (a: LockRecord, b: LockRecord): boolean => a.boot !== "" && a.boot === b.boot;

/** Whether two processes see each other's processes and local sockets. */
export const isSameContainer = (a: LockRecord, b: LockRecord): boolean =>
  isSameMachine(a, b) && a.network === b.network && a.processes === b.processes;

/** Reads a lock file; undefined if there is none. @throws {Error} if it cannot be read */
export function readLock(path: string): LockState | undefined {
  try {
    const { ino, mtimeNs } = statSync(path, { bigint: true });
    return { record: parseRecord(readFileSync(path, "utf8")), renewal: `${ino} ${mtimeNs}` };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Parses a lock file's text; null if it is damaged. */
export function parseRecord(text: string): LockRecord | null {
  try {
    const { id, host, pid, boot, network, processes } = JSON.parse(text) as Record<string, unknown>;
    const texts = [id, host, boot, network, processes];
    if (!Number.isInteger(pid) || !texts.every((value) => typeof value === "string" && value.length <= 256)) return null;
    return { id, host, pid, boot, network, processes } as LockRecord;
  } catch {
    return null;
  }
}

/** Describes a lock's owner in messages. */
export const describeOwner = (record: LockRecord | null | undefined): string =>
  record ? `process ${record.pid} of host ${JSON.stringify(record.host)}` : "another process";
