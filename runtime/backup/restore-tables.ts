import { openSession, type Session, type SessionOptions } from "../database/session.ts";
import { compareWithManifest } from "./compare-with-manifest.ts";
import type { FillOptions } from "./fill-table.ts";
import { inParallel } from "./in-parallel.ts";
import type { BackedUpTable, Manifest } from "./manifest.ts";

/** `check` verifies the files' checksums; `read back` compares restored rows. Progress is in bytes. */
export type RestoreStep = "check" | "restore" | "read back";

export interface RestoreTablesOptions {
  readonly connection: SessionOptions;
  readonly folder: string;
  /** The number of connections, each of which restores one table at a time. */
  readonly jobs: number;
  readonly onProgress?: (step: RestoreStep, done: number, total: number) => void;
}

/** Restores tables on several connections, the largest first, because it takes the longest. */
export async function restoreTables(
  { connection, folder, jobs, onProgress }: RestoreTablesOptions,
  { compression }: Pick<Manifest, "compression">,
  tables: readonly BackedUpTable[],
  restore: (session: Session, table: BackedUpTable, options: FillOptions) => Promise<void>,
): Promise<void> {
  const total = sizeOf(tables);
  let done = 0;
  const onBytes = (bytes: number): void => {
    done += bytes;
    onProgress?.("restore", done, total);
  };
  const sessions: Session[] = [];
  try {
    for (let index = 0; index < jobs; index += 1) sessions.push(await openSession(connection));
    const largestFirst = [...tables].sort((left, right) => right.content.bytes - left.content.bytes);
    await inParallel(largestFirst, sessions, (table, session) => restore(session, table, { folder, compression, onBytes }));
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
  }
}

/** Compares restored tables with the backup once more, as they are read from the database. @throws {BackupError} */
export async function readTablesBack(
  { connection, onProgress }: Pick<RestoreTablesOptions, "connection" | "onProgress">,
  tables: readonly BackedUpTable[],
): Promise<void> {
  const total = sizeOf(tables);
  let done = 0;
  await compareWithManifest(connection, tables, (bytes) => {
    done += bytes;
    onProgress?.("read back", done, total);
  });
}

const sizeOf = (tables: readonly BackedUpTable[]): number => tables.reduce((sum, { content }) => sum + content.bytes, 0);
