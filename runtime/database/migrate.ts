import type { Knex } from "knex";
import { type RetryOptions, retry } from "../lib/async.ts";
import { buildConcurrently, type ConcurrentIndex } from "./concurrent-indexes.ts";
import type { Database, Queryable } from "./database.ts";
import { type MigrationProgress, type ProgressOptions, watchProgress } from "./migration-progress.ts";
import { readUnfinishedRestore } from "./unfinished-restore.ts";

/** One step of the schema; `name` is the file name, NNNN-name; migrations run in its order. */
export interface Migration {
  readonly name: string;
  /** Whether it only adds tables, columns with defaults or indexes, or replaces indexes, so that servers of older versions work with the new schema. */
  readonly onlyExpands: boolean;
  /** Indexes of large tables, which are built before `up` and outside its transaction, so that writes continue; `down` drops them. */
  readonly concurrentIndexes?: readonly ConcurrentIndex[];
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

/** The schema of the database is incompatible with this version's migrations. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

const table = "ashlar_migrations";
/** The advisory lock of a migrating process: "ashlar" in ASCII. */
const lock = 0x6173686c6172;

/** How long a statement of a migration waits for a lock: meanwhile, all other statements that need the table wait behind it. */
const lockTimeout = "1s";
/** SQLSTATE lock_not_available and deadlock_detected: other processes use the tables. */
const lockCodes = new Set(["55P03", "40P01"]);
/** Between attempts, the other processes continue. Together, the attempts take up to ten minutes. */
const lockRetry: RetryOptions<Error> = {
  attempts: 100,
  base: 500,
  max: 5_000,
  isRetryable: (error): error is Error => error instanceof Error && "code" in error && lockCodes.has(String(error.code)),
};

/** Options of `migrate`. */
export interface MigrateOptions extends ProgressOptions {
  /** Only a restore may migrate a database that is being restored. */
  readonly isRestoring?: boolean;
}

/**
 * Applies pending migrations and returns their names; safe if several processes do so concurrently. One transaction applies all of them or none, except that a
 * migration with concurrent indexes begins another one. @throws {MigrationError}
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  { isRestoring = false, ...options }: MigrateOptions = {},
): Promise<readonly string[]> {
  if (!isRestoring) await requireRestored(database);
  const pending = new Set(await pendingMigrations(database, migrations));
  if (pending.size === 0) return [];
  const progress = watchProgress(database, options);
  try {
    const names: string[] = [];
    for (const { indexes, list } of transactionsOf(migrations, pending)) {
      if (indexes !== null) await buildIndexes(database, indexes, progress);
      names.push(...(await apply(database, list, progress)));
    }
    return names;
  } finally {
    progress.stop();
  }
}

/** One transaction: all migrations that are applied after it, and its first pending one if that has concurrent indexes, which are built before. */
interface MigrationTransaction {
  readonly indexes: Migration | null;
  readonly list: readonly Migration[];
}

function transactionsOf(migrations: readonly Migration[], pending: ReadonlySet<string>): MigrationTransaction[] {
  const beginsOne = ({ name, concurrentIndexes }: Migration): boolean => pending.has(name) && concurrentIndexes !== undefined;
  const begins = migrations.flatMap((migration, index) => (beginsOne(migration) ? [index] : []));
  const firstPending = migrations.findIndex(({ name }) => pending.has(name));
  const starts = begins[0] === firstPending ? begins : [firstPending, ...begins];
  return starts.map((start, index) => {
    const first = migrations[start];
    return {
      indexes: first !== undefined && beginsOne(first) ? first : null,
      list: migrations.slice(0, starts[index + 1] ?? migrations.length),
    };
  });
}

function buildIndexes(database: Database, { name, concurrentIndexes = [] }: Migration, progress: MigrationProgress): Promise<void> {
  progress.start(name);
  const isPending = async (queryable: Queryable): Promise<boolean> =>
    (await appliedMigrations(queryable)).every((applied) => applied.name !== name);
  return buildConcurrently(database, concurrentIndexes, isPending);
}

function apply(database: Database, list: readonly Migration[], progress: MigrationProgress): Promise<readonly string[]> {
  const watched = list.map((migration) => ({
    ...migration,
    up: (knex: Knex): Promise<void> => {
      progress.start(migration.name);
      return migration.up(knex);
    },
  }));
  const work = async (transaction: Knex.Transaction): Promise<readonly string[]> => {
    // The list may lack migrations that another process has applied in the meantime; `pendingMigrations` has checked it.
    const [, names] = (await transaction.migrate.latest({ ...options(watched), disableMigrationsListValidation: true })) as [
      number,
      string[],
    ];
    await recordExpansions(transaction, list);
    return names;
  };
  return locked(database, work, progress.report);
}

/** Reverts all migrations, newest first, all or none, and returns their names. All tables and rows are dropped. @throws {MigrationError} */
export async function revert(database: Database, migrations: readonly Migration[]): Promise<readonly string[]> {
  const { unknown } = await compareSchema(database, migrations);
  const [newer] = unknown;
  if (newer !== undefined)
    throw new MigrationError(
      `The database schema contains migration ${newer.name}, which this version cannot revert: use the version that added it.`,
    );
  return locked(database, async (transaction) => {
    const [, names] = (await transaction.migrate.rollback(options(migrations), true)) as [number, string[]];
    return names;
  });
}

/**
 * The names of pending migrations; none for a newer schema whose additional migrations only expand this version's.
 * @throws {MigrationError} if the schema is newer in any other way.
 */
export async function pendingMigrations(database: Database, migrations: readonly Migration[]): Promise<readonly string[]> {
  const state = await compareSchema(database, migrations);
  const problem = newerSchema(state);
  if (problem !== null) throw new MigrationError(problem);
  return state.pending;
}

/**
 * The reason why a server with these migrations cannot use the database, and the remedy; null if it can.
 * @throws {MigrationError} if the list is out of order.
 */
export async function schemaProblem(database: Database, migrations: readonly Migration[]): Promise<string | null> {
  const unfinished = await restoreProblem(database);
  if (unfinished !== null) return unfinished;
  const state = await compareSchema(database, migrations);
  const newer = newerSchema(state);
  if (newer !== null) return newer;
  if (state.pending.length === 0) return null;
  return `The database schema is older than this server (pending migrations: ${state.pending.join(", ")}): run ashlar migrate.`;
}

/**
 * For a process that may not change a schema that other processes use: creates that of an empty database, and refuses an older one. @throws {MigrationError}
 */
export async function requireSchema(database: Database, migrations: readonly Migration[]): Promise<void> {
  await requireRestored(database);
  if ((await appliedMigrations(database)).length === 0) {
    await migrate(database, migrations);
    return;
  }
  const problem = await schemaProblem(database, migrations);
  if (problem !== null) throw new MigrationError(problem);
}

/** @throws {MigrationError} if the database is not completely restored. */
export async function requireRestored(database: Database): Promise<void> {
  const problem = await restoreProblem(database);
  if (problem !== null) throw new MigrationError(problem);
}

async function restoreProblem(database: Database): Promise<string | null> {
  const unfinished = await readUnfinishedRestore(database);
  return unfinished === null
    ? null
    : `The database is not completely restored (tables so far: ${unfinished.restored.length}): run ashlar restore with the same backup again, or use another database.`;
}

/** How the schema of the database differs from a list of migrations. */
interface SchemaState {
  readonly pending: readonly string[];
  readonly unknown: readonly AppliedMigration[];
}

interface AppliedMigration {
  readonly name: string;
  readonly only_expands: boolean;
}

async function compareSchema(database: Database, migrations: readonly Migration[]): Promise<SchemaState> {
  const names = migrations.map((migration) => migration.name);
  const outOfOrder = names.find((name, index) => index > 0 && name <= (names[index - 1] ?? ""));
  if (outOfOrder !== undefined)
    throw new MigrationError(`Migration ${outOfOrder} is out of order: expected ascending numbers without duplicates.`);
  const applied = await appliedMigrations(database);
  return {
    pending: names.filter((name) => applied.every((migration) => migration.name !== name)),
    unknown: applied.filter(({ name }) => !names.includes(name)),
  };
}

/** The problem of a schema with unknown migrations. If it also lacks migrations of this version, it was migrated by a different branch and is untested. */
function newerSchema({ pending, unknown }: SchemaState): string | null {
  const incompatible = unknown.find((migration) => !migration.only_expands) ?? (pending.length > 0 ? unknown[0] : undefined);
  return incompatible === undefined
    ? null
    : `The database schema is newer than this server (unknown migration: ${incompatible.name}): upgrade this server, or use another database.`;
}

async function appliedMigrations(database: Queryable): Promise<readonly AppliedMigration[]> {
  const [lookup] = await database.query<{ exists: boolean }>("SELECT to_regclass($1) IS NOT NULL AS exists", [table]);
  if (lookup?.exists !== true) return [];
  // As JSON, because a database that was last migrated by an early version does not have the column.
  return database.query<AppliedMigration>(
    `SELECT name, coalesce((to_jsonb(m) ->> 'only_expands')::boolean, false) AS only_expands FROM ${table} m ORDER BY id`,
  );
}

/** Records which migrations only expand, for servers of older versions, whose list does not contain them. */
async function recordExpansions(transaction: Knex.Transaction, migrations: readonly Migration[]): Promise<void> {
  const names = migrations.filter(({ onlyExpands }) => onlyExpands).map(({ name }) => name);
  await transaction.raw("ALTER TABLE ?? ADD COLUMN IF NOT EXISTS only_expands boolean NOT NULL DEFAULT false", [table]);
  await transaction(table).whereIn("name", names).update({ only_expands: true });
}

/**
 * One transaction holds the lock and contains all statements of knex, including those on its lock table: a killed process leaves neither a partial schema nor a
 * lock. The lock ends with the transaction, so it also works behind a connection pooler. If another process holds a lock on a table, the transaction is rolled
 * back and retried.
 */
function locked<T>(
  database: Database,
  work: (transaction: Knex.Transaction) => Promise<T>,
  report: (line: string) => void = () => undefined,
): Promise<T> {
  const attempt = (): Promise<T> =>
    database.knex.transaction(async (transaction) => {
      await transaction.raw("SELECT pg_advisory_xact_lock(?)", [lock]);
      // After the wait for other migrating processes.
      await transaction.raw(`SET LOCAL lock_timeout = '${lockTimeout}'`);
      return work(transaction);
    });
  const onRetry = ({ message }: Error): void => report(`A table is in use by other statements, retrying: ${message}`);
  return retry(attempt, { ...lockRetry, onRetry });
}

function options(migrations: readonly Migration[]): Knex.MigratorConfig {
  const migrationSource: Knex.MigrationSource<Migration> = {
    getMigrations: async () => [...migrations],
    getMigrationName: (migration) => migration.name,
    getMigration: async (migration) => migration,
  };
  return { migrationSource, tableName: table };
}
