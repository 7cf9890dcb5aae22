import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedUnavailable, reasonOf } from "./unavailable.ts";

/** Paths of the embedded server in the data directory. */
export interface EmbeddedPaths {
  readonly root: string;
  /** The cluster, owned by the account that the server runs as. */
  readonly cluster: string;
  /** A cluster that is being created; it is renamed when it is complete. */
  readonly unfinished: string;
  /** The password of the only role, readable only by the user that runs Ashlar. */
  readonly password: string;
  readonly log: string;
  /** The lock file of the directory. */
  readonly lock: string;
  /** The FIFO that the owner of the lock and its server have open. */
  readonly presence: string;
}

/** Whether a data directory has a cluster. */
export const hasCluster = (dataDirectory: string): boolean => existsSync(join(dataDirectory, "postgres"));

/** The paths below a data directory, which is created if it is missing. */
export function findPaths(dataDirectory: string): EmbeddedPaths {
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
    const root = realpathSync(dataDirectory);
    return {
      root,
      cluster: join(root, "postgres"),
      unfinished: join(root, "postgres.unfinished"),
      password: join(root, "postgres-password"),
      log: join(root, "postgres.log"),
      lock: join(root, "postgres.lock"),
      presence: join(root, "postgres.presence"),
    };
  } catch (error) {
    throw new EmbeddedUnavailable(`the data directory ${dataDirectory} cannot be created or opened (${reasonOf(error)})`);
  }
}
