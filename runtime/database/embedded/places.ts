import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedUnavailable, reasonOf } from "./unavailable.ts";

/** What the embedded server keeps in the data directory. */
export interface Places {
  readonly root: string;
  /** The cluster; it belongs to the account that the server runs as. */
  readonly cluster: string;
  /** A cluster that is being made, renamed when it is whole. */
  readonly unfinished: string;
  /** The password of the only role, readable by whoever starts us alone. */
  readonly password: string;
  readonly log: string;
}

/** Whether a data directory has a cluster. */
export const hasCluster = (dataDirectory: string): boolean => existsSync(join(dataDirectory, "postgres"));

/** The places below a data directory, which is made when it is missing. */
export function findPlaces(dataDirectory: string): Places {
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
    const root = realpathSync(dataDirectory);
    return {
      root,
      cluster: join(root, "postgres"),
      unfinished: join(root, "postgres.unfinished"),
      password: join(root, "postgres-password"),
      log: join(root, "postgres.log"),
    };
  } catch (error) {
    throw new EmbeddedUnavailable(`the data directory ${dataDirectory} cannot be made or entered (${reasonOf(error)})`);
  }
}
