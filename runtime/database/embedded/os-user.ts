import type { SpawnOptions } from "node:child_process";
import { chownSync, lchownSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { EmbeddedPaths } from "./paths.ts";

/** The user that runs the server's programs; undefined for the current one. */
export type OsUser = { readonly uid: number; readonly gid: number } | undefined;

/** "nobody" on Linux: PostgreSQL refuses to run as root, and initdb requires a user that exists. */
const nobody = { uid: 65534, gid: 65534 } as const;

/** The user for a cluster: the current user or, if that is root, the cluster's owner, or else nobody. */
export function chooseOsUser(paths: EmbeddedPaths): OsUser {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(paths.cluster, { throwIfNoEntry: false });
  return owner === undefined || owner.uid === 0 ? nobody : { uid: owner.uid, gid: owner.gid };
}

/** Makes the user the owner of a folder and its contents. */
export function changeOwner(folder: string, osUser: OsUser): void {
  if (osUser === undefined) return;
  chownSync(folder, osUser.uid, osUser.gid);
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) lchownSync(join(folder, entry), osUser.uid, osUser.gid);
}

/**
 * The spawn options for a program that runs in a cluster's folder, and the path of its data directory. If this process is root, the working directory is
 * entered before the user changes, and /proc/self/cwd refers to it: the data may be below folders that the user cannot enter, such as root's home
 * (mode 0700).
 */
export function spawnOptionsIn(folder: string, osUser: OsUser): { readonly options: SpawnOptions; readonly dataDirectory: string } {
  const isLinuxRoot = osUser !== undefined && process.platform === "linux";
  return { options: { ...spawnOptionsAs(osUser), cwd: folder }, dataDirectory: isLinuxRoot ? "/proc/self/cwd" : folder };
}

/** Spawn options: the user, and an environment without PGDATA, PGPORT and similar variables. */
export function spawnOptionsAs(osUser: OsUser): SpawnOptions {
  const { PATH, SystemRoot, TEMP } = process.env;
  const env = Object.fromEntries(Object.entries({ PATH, SystemRoot, TEMP, LC_ALL: "C" }).filter(([, value]) => value !== undefined));
  return { ...osUser, env, windowsHide: true };
}
