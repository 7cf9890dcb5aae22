import type { Knex } from "knex";
import type { Database } from "./database.ts";

/** One step of the schema; `name` is its file's, NNNN-name, and orders it. */
export interface Migration {
  readonly name: string;
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

/** The database and this program's list of migrations do not fit. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

const table = "ashlar_migrations";
/** The advisory lock that one migrating process holds: "ashlar" in ASCII. */
const lock = 0x6173686c6172;

/** Runs what has not landed, all or nothing, and returns its names; safe when several processes do it at once. @throws {MigrationError} */
export async function migrate(database: Database, migrations: readonly Migration[]): Promise<readonly string[]> {
  if ((await pendingMigrations(database, migrations)).length === 0) return [];
  return locked(database, async (transaction) => {
    const [, names] = (await transaction.migrate.latest(options(migrations))) as [number, string[]];
    return names;
  });
}

/** Takes back what has landed, newest first, all or nothing, and returns its names: every table and every row is gone. @throws {MigrationError} */
export async function revert(database: Database, migrations: readonly Migration[]): Promise<readonly string[]> {
  await pendingMigrations(database, migrations);
  return locked(database, async (transaction) => {
    const [, names] = (await transaction.migrate.rollback(options(migrations), true)) as [number, string[]];
    return names;
  });
}

/** Names of the listed migrations that have not landed. @throws {MigrationError} one has landed that is not in the list. */
export async function pendingMigrations(database: Database, migrations: readonly Migration[]): Promise<readonly string[]> {
  const names = migrations.map((migration) => migration.name);
  const misplaced = names.find((name, index) => index > 0 && name <= (names[index - 1] ?? ""));
  if (misplaced !== undefined)
    throw new MigrationError(`Migration ${misplaced} is not in its place: the list is in the order of its numbers, each once.`);
  const landed = await landedMigrations(database);
  const unknown = landed.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new MigrationError(
      `The database holds migration ${unknown}, which this version does not know: run the version that made it, or use another database.`,
    );
  }
  return names.filter((name) => !landed.includes(name));
}

async function landedMigrations(database: Database): Promise<readonly string[]> {
  const [found] = await database.query<{ exists: boolean }>("SELECT to_regclass($1) IS NOT NULL AS exists", [table]);
  if (found?.exists !== true) return [];
  const rows = await database.query<{ name: string }>(`SELECT name FROM ${table} ORDER BY id`);
  return rows.map((row) => row.name);
}

/**
 * One transaction holds the lock and all that knex does, its own lock table included: a killed process leaves neither half a schema nor a lock.
 * The lock goes with the transaction, so it also holds behind a connection pooler.
 */
function locked<T>(database: Database, work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
  return database.knex.transaction(async (transaction) => {
    await transaction.raw("SELECT pg_advisory_xact_lock(?)", [lock]);
    return work(transaction);
  });
}

function options(migrations: readonly Migration[]): Knex.MigratorConfig {
  const migrationSource: Knex.MigrationSource<Migration> = {
    getMigrations: async () => [...migrations],
    getMigrationName: (migration) => migration.name,
    getMigration: async (migration) => migration,
  };
  return { migrationSource, tableName: table };
}
