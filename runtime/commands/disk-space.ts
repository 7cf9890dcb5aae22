import { statfs } from "node:fs/promises";
import type { Config } from "../config/config.ts";

/** The space of the file system that contains the embedded database. */
export interface DiskSpace {
  /** Whether less than the configured space is free, or has been since twice as much was free. */
  isLow(): Promise<boolean>;
}

const megabyte = 1_000_000;
/** Indexing continues at this multiple of the bound at which it pauses, so that it does not alternate between the two. */
const sufficient = 2;

/** Watches the free space; null if the configuration has no bound, or an external database, whose file system cannot be seen from here. */
export function createDiskSpace(
  { databaseUrl, dataDirectory, minFreeDiskMegabytes }: Pick<Config, "databaseUrl" | "dataDirectory" | "minFreeDiskMegabytes">,
  freeBytes: (path: string) => Promise<number> = freeBytesOf,
): DiskSpace | null {
  if (databaseUrl !== undefined || minFreeDiskMegabytes === 0) return null;
  let isLow = false;
  return {
    async isLow() {
      const free = await freeBytes(dataDirectory);
      isLow = free < minFreeDiskMegabytes * megabyte * (isLow ? sufficient : 1);
      return isLow;
    },
  };
}

async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
