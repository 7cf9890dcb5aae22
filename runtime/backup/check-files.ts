import { pipeline } from "node:stream/promises";
import { BackupError } from "./backup-error.ts";
import { createDigestStream } from "./digest.ts";
import { createDiscardStream } from "./discard.ts";
import { inParallel } from "./in-parallel.ts";
import { fileOf, type Manifest, openBackupFile } from "./manifest.ts";

/** Compares the size and the SHA-256 of each file with the manifest. @throws {BackupError} for the first that differs. */
export async function checkFiles(
  folder: string,
  manifest: Manifest,
  jobs: number,
  onProgress?: (done: number, total: number) => void,
): Promise<void> {
  const total = manifest.tables.reduce((sum, { file }) => sum + file.bytes, 0);
  let done = 0;
  await inParallel(manifest.tables, Array.from({ length: jobs }), async ({ name, file }) => {
    const path = fileOf(name, manifest);
    const handle = await openBackupFile(folder, path);
    try {
      const { size } = await handle.stat();
      if (size !== file.bytes) throw new BackupError(`The backup is damaged: ${path} has ${size} bytes instead of ${file.bytes}.`);
      const digest = createDigestStream((bytes) => {
        done += bytes;
        onProgress?.(done, total);
      });
      await pipeline(handle.createReadStream({ autoClose: false }), digest, createDiscardStream());
      if (digest.digest().sha256 !== file.sha256)
        throw new BackupError(`The backup is damaged: the SHA-256 of ${path} differs from the manifest.`);
    } finally {
      await handle.close();
    }
  });
}
