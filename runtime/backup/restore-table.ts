import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { liftTimeouts, type Session } from "../database/session.ts";
import { identifier, sql } from "../database/sql.ts";
import { markTable } from "../database/unfinished-restore.ts";
import { BackupError } from "./backup-error.ts";
import { createDecompressor } from "./compression.ts";
import { copyIn, fixFormats } from "./copy-statements.ts";
import { createDigest } from "./digest.ts";
import { type BackedUpTable, fileOf, type Manifest, openBackupFile } from "./manifest.ts";
import { dropIndexes } from "./rebuilt-indexes.ts";

export interface RestoreTableOptions extends Pick<Manifest, "compression"> {
  readonly folder: string;
  /** Receives the number of bytes of each chunk of rows. */
  readonly onBytes: (bytes: number) => void;
}

/** Memory of one connection that builds an index. */
const indexMemory = "SET LOCAL maintenance_work_mem = '256MB'";

/**
 * Fills a table from its file in one transaction, which also records that the table is complete. Its triggers do not run: what they write, such as content
 * versions, is in the backup. @throws {BackupError} if the rows differ from the manifest.
 */
export async function restoreTable(session: Session, table: BackedUpTable, options: RestoreTableOptions): Promise<void> {
  const name = identifier(`public.${table.name}`);
  await session.query("BEGIN");
  try {
    await liftTimeouts(session);
    await fixFormats(session);
    await session.query(indexMemory);
    await session.query(sql`ALTER TABLE ${name} DISABLE TRIGGER USER`);
    await session.query(sql`TRUNCATE ${name}`);
    const indexes = await dropIndexes(session, table.name);
    await fill(session, table, options);
    for (const statement of indexes) await session.query(statement);
    await session.query(sql`ALTER TABLE ${name} ENABLE TRIGGER USER`);
    await restoreSequence(session, table);
    await session.query(sql`ANALYZE ${name}`);
    await markTable(session, table.name);
    await session.query("COMMIT");
  } catch (error) {
    // Fails if the connection is lost.
    await session.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

async function fill(session: Session, table: BackedUpTable, { folder, compression, onBytes }: RestoreTableOptions): Promise<void> {
  const path = fileOf(table.name, { compression });
  const handle = await openBackupFile(folder, path);
  try {
    const target = session.copyFrom(copyIn(table));
    const [file, content] = [createDigest(), createDigest(onBytes)];
    const source = handle.createReadStream({ autoClose: false });
    await pipeline(source, file, createDecompressor(compression), limit(path, table.content.bytes), content, target).catch(
      (error: unknown) => {
        throw session.safeError(error);
      },
    );
    const isEqual = file.digest().sha256 === table.file.sha256 && content.digest().sha256 === table.content.sha256;
    if (!isEqual) throw new BackupError(`The backup is damaged: the rows of ${path} differ from the manifest.`);
    if (target.rowCount !== table.rows)
      throw new BackupError(`The backup is damaged: ${path} has ${target.rowCount} rows instead of ${table.rows}.`);
  } finally {
    await handle.close();
  }
}

/** Ends at once where a file decompresses to more than the manifest says. */
const limit = (path: string, maxBytes: number): Transform => {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new BackupError(`The backup is damaged: ${path} has more than ${maxBytes} bytes of rows.`));
      else done(null, chunk);
    },
  });
};

async function restoreSequence(session: Session, { name, sequence }: BackedUpTable): Promise<void> {
  if (sequence === null) return;
  await session.query("SELECT setval(pg_get_serial_sequence($1, $2), $3::int8, $4)", [
    `public.${name}`,
    sequence.column,
    sequence.lastValue,
    sequence.isCalled,
  ]);
}
