import { liftTimeouts, type Session } from "../database/session.ts";
import { identifier, sql } from "../database/sql.ts";
import { markTable } from "../database/unfinished-restore.ts";
import { copyIn, fixFormats } from "./copy-statements.ts";
import { type FillOptions, fillTable } from "./fill-table.ts";
import type { BackedUpTable } from "./manifest.ts";
import { dropIndexes } from "./rebuilt-indexes.ts";

/** Memory of one connection that builds an index. */
const indexMemory = "SET LOCAL maintenance_work_mem = '256MB'";

/**
 * Fills a table from its file in one transaction, which also records that the table is complete. Its triggers do not run: what they write, such as content
 * versions, is in the backup. @throws {BackupError} if the rows differ from the manifest.
 */
export async function restoreTable(session: Session, table: BackedUpTable, options: FillOptions): Promise<void> {
  const name = identifier(`public.${table.name}`);
  await session.query("BEGIN");
  try {
    await liftTimeouts(session);
    await fixFormats(session);
    await session.query(indexMemory);
    await session.query(sql`ALTER TABLE ${name} DISABLE TRIGGER USER`);
    await session.query(sql`TRUNCATE ${name}`);
    const indexes = await dropIndexes(session, table.name);
    await fillTable(session, table, copyIn(table), options);
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

async function restoreSequence(session: Session, { name, sequence }: BackedUpTable): Promise<void> {
  if (sequence === null) return;
  await session.query("SELECT setval(pg_get_serial_sequence($1, $2), $3::int8, $4)", [
    `public.${name}`,
    sequence.column,
    sequence.lastValue,
    sequence.isCalled,
  ]);
}
