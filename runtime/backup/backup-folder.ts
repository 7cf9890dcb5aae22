import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BackupError } from "./backup-error.ts";

/** Present while a backup is being written; all files in the folder then belong to it. */
const marker = "unfinished";
/** Matches the names of a backup's files. */
const backupFilePattern = /^(?:[a-z_][a-z0-9_]{0,62}\.copy\.(?:gz|zst)|manifest\.json(?:\.sha256|\.unfinished)?|unfinished)$/;

/**
 * Prepares the folder for a new backup: it must be empty, or contain only files of a killed backup, which are deleted. A killed backup cannot be
 * continued, because its database snapshot ended with the process's connections. @throws {BackupError}
 */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files = await readdir(folder);
  if (files.length > 0 && !files.includes(marker)) throw new BackupError(`The folder ${folder} is not empty; choose a new or empty one.`);
  const foreign = files.find((file) => !backupFilePattern.test(file));
  if (foreign !== undefined)
    throw new BackupError(
      `The folder ${folder} has an unfinished backup and ${foreign}, which does not belong to it; choose a new or empty one.`,
    );
  await writeFile(join(folder, marker), "This backup is incomplete.\n", { mode: 0o600, flush: true });
  for (const file of files) if (file !== marker) await rm(join(folder, file));
}

/** Marks the backup as complete. */
export const completeFolder = (folder: string): Promise<void> => rm(join(folder, marker));

/** @throws {BackupError} if the backup in the folder is not complete. */
export async function requireComplete(folder: string): Promise<void> {
  const files = await readdir(folder).catch((error: unknown) => {
    throw new BackupError(`The folder ${folder} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown reason"}).`);
  });
  if (files.includes(marker)) throw new BackupError(`The backup in ${folder} is not complete: run ashlar backup again.`);
}
