import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedUnavailable, reasonOf } from "./unavailable.ts";

/** The embedded server's paths in the data directory. */
export interface EmbeddedPaths {
  readonly root: string;
  /** The cluster, owned by the user that the server runs as. */
  readonly cluster: string;
  /** A cluster that is being created; it is renamed when it is complete. */
  readonly unfinished: string;
  /** The folder for upgrading to another PostgreSQL major version: a separate data directory, and the backup files. */
  readonly upgradeDirectory: string;
  /** An upgrade's complete cluster, which is about to replace the old one. */
  readonly upgradedCluster: string;
  /** The only role's password, readable only by the user that runs Ashlar. */
  readonly passwordFile: string;
  readonly log: string;
  /** The directory's lock file. */
  readonly lock: string;
  /** The FIFO that the lock's owner and its server have open. */
  readonly presence: string;
}

const names = { cluster: "postgres", upgradedCluster: "postgres.upgraded" } as const;

/** Whether a data directory has a cluster. */
export const hasCluster = (dataDirectory: string): boolean =>
  [names.cluster, names.upgradedCluster].some((name) => existsSync(join(dataDirectory, name)));

/** The paths below a data directory, which is created if it is missing. */
export function findPaths(dataDirectory: string): EmbeddedPaths {
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
    const root = realpathSync(dataDirectory);
    return {
      root,
      cluster: join(root, names.cluster),
      unfinished: join(root, "postgres.unfinished"),
      upgradeDirectory: join(root, "postgres.upgrade"),
      upgradedCluster: join(root, names.upgradedCluster),
      passwordFile: join(root, "postgres-password"),
      log: join(root, "postgres.log"),
      lock: join(root, "postgres.lock"),
      presence: join(root, "postgres.presence"),
    };
  } catch (error) {
    throw new EmbeddedUnavailable(`the data directory ${dataDirectory} cannot be created or opened (${reasonOf(error)})`);
  }
}
