import type { SpawnOptions } from "node:child_process";
import { chownSync, lchownSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { EmbeddedPaths } from "./paths.ts";

/** The user that runs the server's programs; undefined for the current one. */
export type Account = { readonly uid: number; readonly gid: number } | undefined;

/** "nobody" on Linux: PostgreSQL refuses to run as root, and initdb requires an account that exists. */
const nobody = { uid: 65534, gid: 65534 } as const;

/** The account for a cluster: the current user or, if that is root, the cluster's owner, or else nobody. */
export function chooseAccount(paths: EmbeddedPaths): Account {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(paths.cluster, { throwIfNoEntry: false });
  return owner === undefined || owner.uid === 0 ? nobody : { uid: owner.uid, gid: owner.gid };
}

/** Makes the account the owner of a folder and its contents. */
export function handOver(folder: string, account: Account): void {
  if (account === undefined) return;
  chownSync(folder, account.uid, account.gid);
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) lchownSync(join(folder, entry), account.uid, account.gid);
}

/**
 * The spawn options for a program that runs in a cluster's folder, and the path of its data directory. If this process is root, the working directory is
 * entered before the account changes, and /proc/self/cwd refers to it: the data may be below folders that the account cannot enter, such as root's home
 * (mode 0700).
 */
export function spawnIn(folder: string, account: Account): { readonly options: SpawnOptions; readonly dataDirectory: string } {
  const isLinuxRoot = account !== undefined && process.platform === "linux";
  return { options: { ...asAccount(account), cwd: folder }, dataDirectory: isLinuxRoot ? "/proc/self/cwd" : folder };
}

/** Spawn options: the account, and an environment without PGDATA, PGPORT and similar variables. */
export function asAccount(account: Account): SpawnOptions {
  const { PATH, SystemRoot, TEMP } = process.env;
  const env = Object.fromEntries(Object.entries({ PATH, SystemRoot, TEMP, LC_ALL: "C" }).filter(([, value]) => value !== undefined));
  return { ...account, env, windowsHide: true };
}
