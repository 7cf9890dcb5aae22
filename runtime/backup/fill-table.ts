import { pipeline } from "node:stream/promises";
import type { Session } from "../database/session.ts";
import type { Sql } from "../database/sql.ts";
import { BackupError } from "./backup-error.ts";
import { createRowChecker } from "./check-rows.ts";
import { createDecompressor } from "./compression.ts";
import { createDigestStream } from "./digest.ts";
import { type BackedUpTable, fileOf, type Manifest, openBackupFile } from "./manifest.ts";

export interface FillOptions extends Pick<Manifest, "compression"> {
  readonly folder: string;
  /** Receives the number of bytes in each chunk of rows. */
  readonly onBytes: (bytes: number) => void;
  /** The chain that all rows must belong to; a backup of the entire index may have rows of any chain. */
  readonly chainId?: number;
}

/** Copies a table's rows from its file with COPY … FROM STDIN. @throws {BackupError} if they differ from the manifest, or belong to another chain. */
export async function fillTable(
  session: Session,
  table: BackedUpTable,
  statement: Sql,
  { folder, compression, onBytes, chainId }: FillOptions,
): Promise<void> {
  const path = fileOf(table.name, { compression });
  const handle = await openBackupFile(folder, path);
  try {
    const target = session.copyFrom(statement);
    const [file, content] = [createDigestStream(), createDigestStream(onBytes)];
    const source = handle.createReadStream({ autoClose: false });
    const rows = createRowChecker(path, table.content.bytes, chainId);
    await pipeline(source, file, createDecompressor(compression), rows, content, target).catch((error: unknown) => {
      throw session.sanitizeError(error);
    });
    const isEqual = file.digest().sha256 === table.file.sha256 && content.digest().sha256 === table.content.sha256;
    if (!isEqual) throw new BackupError(`The backup is damaged: the rows of ${path} differ from the manifest.`);
    if (target.rowCount !== table.rows)
      throw new BackupError(`The backup is damaged: ${path} has ${target.rowCount} rows instead of ${table.rows}.`);
  } finally {
    await handle.close();
  }
}
