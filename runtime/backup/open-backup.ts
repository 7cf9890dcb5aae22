import { requireComplete } from "./backup-folder.ts";
import { checkFiles } from "./check-files.ts";
import { requireCompression } from "./compression.ts";
import { type LoadedManifest, readManifest } from "./manifest.ts";
import type { RestoreTablesOptions } from "./restore-tables.ts";

/** Reads a backup's manifest. @throws {BackupError} if the backup is not complete, or this program cannot decompress it. */
export async function openBackup(folder: string): Promise<LoadedManifest> {
  await requireComplete(folder);
  const read = await readManifest(folder);
  requireCompression(read.manifest.compression);
  return read;
}

/** Compares all files of a backup with its manifest before anything is changed. @throws {BackupError} */
export const checkBackup = ({ folder, jobs, onProgress }: RestoreTablesOptions, { manifest }: LoadedManifest): Promise<void> =>
  checkFiles(folder, manifest, jobs, (done, total) => onProgress?.("check", done, total));
