import { pipeline } from "node:stream/promises";
import { disableTimeouts, openSession, type SessionOptions } from "../database/session.ts";
import { sql } from "../database/sql.ts";
import { BackupError } from "./backup-error.ts";
import { copyToStatement, setTextFormats } from "./copy-statements.ts";
import { createDigestStream } from "./digest.ts";
import { createDiscardStream } from "./discard.ts";
import type { BackedUpTable } from "./manifest.ts";

/** Reads restored tables and compares all of their rows with the manifest. @throws {BackupError} for the first table that differs. */
export async function compareWithManifest(
  connection: SessionOptions,
  tables: readonly BackedUpTable[],
  onBytes: (bytes: number) => void,
): Promise<void> {
  const session = await openSession(connection);
  try {
    await session.query(sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`);
    await disableTimeouts(session);
    await setTextFormats(session);
    for (const table of tables) {
      const digest = createDigestStream(onBytes);
      const source = session.copyTo(copyToStatement(table));
      await pipeline(source, digest, createDiscardStream()).catch((error: unknown) => {
        throw session.sanitizeError(error);
      });
      if (source.rowCount !== table.rows || digest.digest().sha256 !== table.content.sha256)
        throw new BackupError(`The restored table ${table.name} differs from the backup.`);
    }
  } finally {
    await session.close();
  }
}
