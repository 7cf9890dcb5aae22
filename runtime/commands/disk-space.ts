import { statfs } from "node:fs/promises";
import type { Config } from "../config/config.ts";

/** Space on the embedded database's file system. */
export interface DiskSpace {
  /** Whether the free space has fallen below the configured minimum and has not yet recovered to twice that. */
  isLow(): Promise<boolean>;
}

const megabyte = 1_000_000;
/** Indexing resumes at this multiple of the minimum, so that it does not pause and resume repeatedly. */
const resumeFactor = 2;

/** Watches the free space; null if no minimum is configured, or if the database is external, because its file system is not visible here. */
export function createDiskSpace(
  { databaseUrl, dataDirectory, minFreeDiskMegabytes }: Pick<Config, "databaseUrl" | "dataDirectory" | "minFreeDiskMegabytes">,
  freeBytes: (path: string) => Promise<number> = freeBytesOf,
): DiskSpace | null {
  if (databaseUrl !== undefined || minFreeDiskMegabytes === 0) return null;
  let isLow = false;
  return {
    async isLow() {
      const free = await freeBytes(dataDirectory);
      isLow = free < minFreeDiskMegabytes * megabyte * (isLow ? resumeFactor : 1);
      return isLow;
    },
  };
}

async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
