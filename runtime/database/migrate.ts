import type { Knex } from "knex";
import { type RetryOptions, retry } from "../lib/async.ts";
import { createIndexesConcurrently } from "./concurrent-indexes.ts";
import type { Database, Queryable } from "./database.ts";
import { type Migration, MigrationError } from "./migration.ts";
import { type MigrationProgress, type ProgressOptions, watchProgress } from "./migration-progress.ts";
import { appliedMigrations, compareSchema, migrationTable, pendingMigrations, requireRestored, schemaProblem } from "./schema-state.ts";

/** The advisory lock held by a migrating process: "ashlar" in ASCII. */
const lock = 0x6173686c6172;

/** How long a migration's statement waits for a lock: meanwhile, all other statements that need the table wait behind it. */
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

/** One transaction: all migrations that are applied once it commits, and the one whose concurrent indexes are built beforehand, if any. */
interface MigrationTransaction {
  readonly indexes: Migration | null;
  readonly list: readonly Migration[];
}

function transactionsOf(migrations: readonly Migration[], pending: ReadonlySet<string>): MigrationTransaction[] {
  const beginsTransaction = ({ name, concurrentIndexes }: Migration): boolean => pending.has(name) && concurrentIndexes !== undefined;
  const begins = migrations.flatMap((migration, index) => (beginsTransaction(migration) ? [index] : []));
  const firstPending = migrations.findIndex(({ name }) => pending.has(name));
  const starts = begins[0] === firstPending ? begins : [firstPending, ...begins];
  return starts.map((start, index) => {
    const first = migrations[start];
    return {
      indexes: first !== undefined && beginsTransaction(first) ? first : null,
      list: migrations.slice(0, starts[index + 1] ?? migrations.length),
    };
  });
}

function buildIndexes(database: Database, { name, concurrentIndexes = [] }: Migration, progress: MigrationProgress): Promise<void> {
  progress.start(name);
  const isPending = async (queryable: Queryable): Promise<boolean> =>
    (await appliedMigrations(queryable)).every((applied) => applied.name !== name);
  return createIndexesConcurrently(database, concurrentIndexes, isPending);
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
  return withLock(database, work, progress.report);
}

/** Reverts all migrations, newest first, all or none, and returns their names. All tables and rows are dropped. @throws {MigrationError} */
export async function revert(database: Database, migrations: readonly Migration[]): Promise<readonly string[]> {
  const { unknown } = await compareSchema(database, migrations);
  const [newer] = unknown;
  if (newer !== undefined)
    throw new MigrationError(
      `The database schema contains migration ${newer.name}, which this version cannot revert: use the version that added it.`,
    );
  return withLock(database, async (transaction) => {
    const [, names] = (await transaction.migrate.rollback(options(migrations), true)) as [number, string[]];
    return names;
  });
}

/**
 * For a process that may not change a schema that other processes use: creates the schema in an empty database, and refuses an older schema.
 * @throws {MigrationError}
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

/** Records which migrations only expand, for older servers, whose list does not contain them. */
async function recordExpansions(transaction: Knex.Transaction, migrations: readonly Migration[]): Promise<void> {
  const names = migrations.filter(({ onlyExpands }) => onlyExpands).map(({ name }) => name);
  await transaction.raw("ALTER TABLE ?? ADD COLUMN IF NOT EXISTS only_expands boolean NOT NULL DEFAULT false", [migrationTable]);
  await transaction(migrationTable).whereIn("name", names).update({ only_expands: true });
}

/**
 * One transaction holds the lock and contains all statements of knex, including those on its lock table: a killed process leaves neither a partial schema nor a
 * lock. The lock ends with the transaction, so it also works behind a connection pooler. If another process holds a lock on a table, the transaction is rolled
 * back and retried.
 */
function withLock<T>(
  database: Database,
  work: (transaction: Knex.Transaction) => Promise<T>,
  report: (line: string) => void = () => undefined,
): Promise<T> {
  const attempt = (): Promise<T> =>
    database.knex.transaction(async (transaction) => {
      await transaction.raw("SELECT pg_advisory_xact_lock(?)", [lock]);
      // Set after the wait for other migrating processes, which may take longer.
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
  return { migrationSource, tableName: migrationTable };
}
