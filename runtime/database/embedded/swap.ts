import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { EmbeddedPaths } from "./paths.ts";

/** Where an older major version's cluster is kept. */
export const keptCluster = ({ root }: EmbeddedPaths, major: string): string => join(root, `postgres-${major}`);

/**
 * Replaces a cluster with the upgraded one, and keeps the old one. No system call atomically swaps two directories on every file system: if the
 * process is killed between the renames, the next start completes them (`completeSwap`).
 */
export function swapClusters(paths: EmbeddedPaths, newCluster: string, major: string): void {
  renameSync(newCluster, paths.upgradedCluster);
  renameSync(paths.cluster, keptCluster(paths, major));
  completeSwap(paths);
  sync(paths.root);
}

/** Completes a cluster replacement that a killed upgrade has begun; nothing else leaves a complete new cluster without an old one. */
export function completeSwap({ cluster, upgradeDirectory, upgradedCluster }: EmbeddedPaths): void {
  if (existsSync(cluster) || !existsSync(upgradedCluster)) return;
  renameSync(upgradedCluster, cluster);
  rmSync(upgradeDirectory, { recursive: true, force: true });
}

/** Flushes a folder's file names to disk; some systems cannot open folders. */
function sync(folder: string): void {
  try {
    const descriptor = openSync(folder, "r");
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch {
    // The renames are written later.
  }
}
