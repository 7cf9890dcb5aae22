import { accessSync, constants, readFileSync, statfsSync } from "node:fs";

/** Linux's memory-backed file system. */
const memoryDirectory = "/dev/shm";
/** The space that a run's databases and packages need at the same time, with a margin. */
const requiredBytes = 6 * 2 ** 30;

/**
 * Returns the directory for a run's temporary files: the memory-backed file system if it has enough room, otherwise undefined for the default
 * directory. A test database is a copy of some 650 files, which take 20 ms to create in memory and 300 ms on a disk.
 */
export function memoryBackedDirectory(): string | undefined {
  try {
    accessSync(memoryDirectory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memoryDirectory);
    return bavail * bsize >= requiredBytes && availableMemory() >= 2 * requiredBytes && allowsPrograms() ? memoryDirectory : undefined;
  } catch {
    return undefined;
  }
}

/** Whether programs can be executed in this file system: tests run programs from packages that they install there. */
const allowsPrograms = (): boolean =>
  readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .some((line) => {
      const [, mountPoint, , options = ""] = line.split(" ");
      return mountPoint === memoryDirectory && !options.split(",").includes("noexec");
    });

function availableMemory(): number {
  const [, kibibytes = "0"] = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
  return Number(kibibytes) * 1024;
}
