import type { SpawnOptions } from "node:child_process";
import { chownSync, lchownSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "./places.ts";

/** Whom the server's programs run as; undefined: as we do. */
export type Account = { readonly uid: number; readonly gid: number } | undefined;

/** "nobody" on Linux: PostgreSQL refuses to run as root, and initdb wants an account that the system knows. */
const nobody = { uid: 65534, gid: 65534 } as const;

/** The account for a cluster: ours, unless we are root; then the owner that the cluster has already, else nobody. */
export function chooseAccount(places: Places): Account {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(places.cluster, { throwIfNoEntry: false });
  return owner === undefined || owner.uid === 0 ? nobody : { uid: owner.uid, gid: owner.gid };
}

/** Hands a folder and all in it to the account. */
export function handOver(folder: string, account: Account): void {
  if (account === undefined) return;
  chownSync(folder, account.uid, account.gid);
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) lchownSync(join(folder, entry), account.uid, account.gid);
}

/**
 * How a program is run inside a cluster, and what it is told its data folder is. As root the working directory is entered before the account
 * changes, and /proc/self/cwd leads there: so the data may lie below folders that the account cannot pass, such as root's home (mode 0700).
 */
export function inside(folder: string, account: Account): { readonly options: SpawnOptions; readonly dataFolder: string } {
  const linuxRoot = account !== undefined && process.platform === "linux";
  return { options: { ...asAccount(account), cwd: folder }, dataFolder: linuxRoot ? "/proc/self/cwd" : folder };
}

/** Spawn options: the account, and an environment without PGDATA, PGPORT and the like. */
export function asAccount(account: Account): SpawnOptions {
  const { PATH, SystemRoot, TEMP } = process.env;
  const env = Object.fromEntries(Object.entries({ PATH, SystemRoot, TEMP, LC_ALL: "C" }).filter(([, value]) => value !== undefined));
  return { ...account, env, windowsHide: true };
}
