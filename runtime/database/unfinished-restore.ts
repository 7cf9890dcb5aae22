import type { Queryable } from "./database.ts";

type Statements = Pick<Queryable, "query">;

/** A restore that has started and not finished. */
export interface UnfinishedRestore {
  /** The SHA-256 of the backup's manifest, in hexadecimal. */
  readonly backup: string;
  /** The tables that are complete. */
  readonly restored: readonly string[];
}

/** A database's unfinished restore; null if there is none. */
export async function readUnfinishedRestore(database: Statements): Promise<UnfinishedRestore | null> {
  const [lookup] = await database.query<{ exists: boolean }>("SELECT to_regclass('ashlar_restore') IS NOT NULL AS exists");
  if (lookup?.exists !== true) return null;
  const [row] = await database.query<UnfinishedRestore>("SELECT backup, restored FROM ashlar_restore");
  return row ?? { backup: "", restored: [] };
}

/** Marks an empty database as being restored, before anything else is created in it. */
export const markRestoreStarted = async (database: Statements, backup: string): Promise<void> => {
  await database.query("CREATE TABLE ashlar_restore (backup text PRIMARY KEY, restored text[] NOT NULL DEFAULT '{}')");
  await database.query("INSERT INTO ashlar_restore (backup) VALUES ($1)", [backup]);
};

/** Records a complete table, in the transaction that fills it. */
export const markTableRestored = async (database: Statements, table: string): Promise<void> => {
  await database.query("UPDATE ashlar_restore SET restored = array_append(restored, $1)", [table]);
};

/** Ends the restore, in the transaction that makes its last changes. */
export const markRestoreFinished = async (database: Statements): Promise<void> => {
  await database.query("DROP TABLE ashlar_restore");
};
