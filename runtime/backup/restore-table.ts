import { disableTimeouts, type Session } from "../database/session.ts";
import { identifier, sql } from "../database/sql.ts";
import { copyFromFreezeStatement, setTextFormats } from "./copy-statements.ts";
import { dropIndexes } from "./drop-indexes.ts";
import { type FillOptions, fillTable } from "./fill-table.ts";
import type { BackedUpTable } from "./manifest.ts";

/** The memory that each connection may use to build an index. */
const indexMemory = "SET LOCAL maintenance_work_mem = '256MB'";

export interface RestoreTableOptions extends FillOptions {
  /** Whether the locked table's rows may be replaced; true by default. */
  mayReplace?(session: Pick<Session, "query">): Promise<boolean>;
  /** Records that the table is complete, at the end of the transaction. */
  complete(session: Pick<Session, "query">): Promise<void>;
}

/**
 * Replaces a table's rows with those in its file, in one transaction. Its triggers do not run, because the rows that they write, such as
 * content versions, are in the backup. Returns false if the rows may not be replaced. @throws {BackupError} if the rows differ from the manifest.
 */
export async function restoreTable(
  session: Session,
  table: BackedUpTable,
  { mayReplace = async () => true, complete, ...options }: RestoreTableOptions,
): Promise<boolean> {
  const name = identifier(`public.${table.name}`);
  await session.query("BEGIN");
  try {
    await disableTimeouts(session);
    await setTextFormats(session);
    await session.query(indexMemory);
    await session.query(sql`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
    if (!(await mayReplace(session))) {
      await session.query("ROLLBACK");
      return false;
    }
    await session.query(sql`ALTER TABLE ${name} DISABLE TRIGGER USER`);
    await session.query(sql`TRUNCATE ${name}`);
    const indexes = await dropIndexes(session, table.name);
    await fillTable(session, table, copyFromFreezeStatement(table), options);
    for (const statement of indexes) await session.query(statement);
    await session.query(sql`ALTER TABLE ${name} ENABLE TRIGGER USER`);
    await restoreSequence(session, table);
    await session.query(sql`ANALYZE ${name}`);
    await complete(session);
    await session.query("COMMIT");
    return true;
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
