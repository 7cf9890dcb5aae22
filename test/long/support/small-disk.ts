import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** Mounts an in-memory file system on a folder; only root may do this. */
export const mountDisk = (folder: string, megabytes: number): void =>
  void execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", folder], { stdio: "ignore" });

/** Unmounts a folder's file system, even while it is in use. */
export const unmountDisk = (folder: string): void => void execFileSync("umount", ["-l", folder], { stdio: "ignore" });

/** Whether this process can mount file systems. */
export function canMount(): boolean {
  const folder = join(tmpdir(), `ashlar-mount-${process.pid}`);
  mkdirSync(folder);
  try {
    mountDisk(folder, 1);
    unmountDisk(folder);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const chunkBytes = 1024 * 1024;

/** Writes a file until the disk is full. */
export function fillDisk(path: string): void {
  const file = openSync(path, "w");
  try {
    for (const chunk of [Buffer.alloc(chunkBytes), Buffer.alloc(4_096)]) {
      try {
        for (;;) writeSync(file, chunk);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}
