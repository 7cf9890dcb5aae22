import { disableTimeouts, importSnapshot, openSession, type Session, type SessionOptions } from "../database/session.ts";
import { identifier, joinSql, type Sql, sql } from "../database/sql.ts";
import { retry } from "../lib/async.ts";
import { BackupError } from "./backup-error.ts";
import { setTextFormats } from "./copy-statements.ts";
import { readTables, type TableSchema } from "./table-schema.ts";

/** Connections that see the same database state. */
export interface Snapshot {
  readonly sessions: readonly [Session, ...Session[]];
  readonly tables: readonly TableSchema[];
  close(): Promise<void>;
}

/** Another process changed the tables before they were locked. */
class TablesChanged extends Error {}

/** SQLSTATE lock_not_available and undefined_table: a migration or an installed protocol changes a table. */
const changingCodes = ["55P03", "42P01"];
const retryOptions = { attempts: 20, base: 500, max: 2_000 };

/**
 * Opens connections that share one snapshot. All of them lock all tables against being changed or dropped (writing is not affected) before the first is read:
 * a lock that is requested later would wait behind a migration that itself waits for the backup.
 */
export const openSnapshot = (options: SessionOptions, count: number): Promise<Snapshot> =>
  retry(() => attemptToOpen(options, count), {
    ...retryOptions,
    isRetryable: (error): error is Error =>
      error instanceof TablesChanged || (error instanceof Error && "code" in error && changingCodes.includes(String(error.code))),
  });

async function attemptToOpen(options: SessionOptions, count: number): Promise<Snapshot> {
  const sessions: Session[] = [];
  const close = async (): Promise<void> => void (await Promise.all(sessions.map((session) => session.close())));
  const connect = async (): Promise<Session> => {
    const session = await openSession(options);
    sessions.push(session);
    return session;
  };
  try {
    const first = await connect();
    const names = (await readTables(first)).map(({ name }) => name);
    if (names.length === 0) throw new BackupError("The database has no index: nothing to back up.");
    await first.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // The tables are locked before the snapshot is taken; otherwise it would be older than a change that commits in between.
    await first.query(lockStatement(names));
    const [row] = await first.query<{ id: string }>("SELECT pg_export_snapshot() AS id");
    await prepare(first);
    const tables = await readTables(first);
    if (tables.map(({ name }) => name).join() !== names.join()) throw new TablesChanged();
    for (let index = 1; index < count; index += 1) await join(await connect(), row?.id ?? "", names);
    return { sessions: [first, ...sessions.slice(1)], tables, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function join(session: Session, snapshot: string, names: readonly string[]): Promise<void> {
  await session.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  await importSnapshot(session, snapshot);
  await session.query(lockStatement(names));
  await prepare(session);
}

const prepare = async (session: Session): Promise<void> => {
  await disableTimeouts(session);
  await setTextFormats(session);
};

const lockStatement = (names: readonly string[]): Sql =>
  sql`LOCK TABLE ${joinSql(names.map((name) => identifier(`public.${name}`)))} IN ACCESS SHARE MODE NOWAIT`;
