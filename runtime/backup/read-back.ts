import { pipeline } from "node:stream/promises";
import { liftTimeouts, openSession, type SessionOptions } from "../database/session.ts";
import { sql } from "../database/sql.ts";
import { BackupError } from "./backup-error.ts";
import { copyOut, fixFormats } from "./copy-statements.ts";
import { createDigest } from "./digest.ts";
import { discard } from "./discard.ts";
import type { BackedUpTable } from "./manifest.ts";

/** Reads restored tables and compares all of their rows with the manifest. @throws {BackupError} for the first table that differs. */
export async function readBack(
  connection: SessionOptions,
  tables: readonly BackedUpTable[],
  onBytes: (bytes: number) => void,
): Promise<void> {
  const session = await openSession(connection);
  try {
    await session.query(sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`);
    await liftTimeouts(session);
    await fixFormats(session);
    for (const table of tables) {
      const digest = createDigest(onBytes);
      const source = session.copyTo(copyOut(table));
      await pipeline(source, digest, discard()).catch((error: unknown) => {
        throw session.safeError(error);
      });
      if (source.rowCount !== table.rows || digest.digest().sha256 !== table.content.sha256)
        throw new BackupError(`The restored table ${table.name} differs from the backup.`);
    }
  } finally {
    await session.close();
  }
}
