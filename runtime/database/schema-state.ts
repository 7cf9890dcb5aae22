import type { Database, Queryable } from "./database.ts";
import { type Migration, MigrationError } from "./migration.ts";
import { readUnfinishedRestore } from "./unfinished-restore.ts";

/** The table of applied migrations. */
export const migrationTable = "ashlar_migrations";

/**
 * The names of pending migrations; none if the schema is newer and its additional migrations only expand this version's schema.
 * @throws {MigrationError} if the schema is newer in any other way.
 */
export async function pendingMigrations(database: Database, migrations: readonly Migration[]): Promise<readonly string[]> {
  const state = await compareSchema(database, migrations);
  const problem = newerSchemaProblem(state);
  if (problem !== null) throw new MigrationError(problem);
  return state.pending;
}

/**
 * Why a server with these migrations cannot use the database, and the remedy; null if it can.
 * @throws {MigrationError} if the list is out of order.
 */
export async function schemaProblem(database: Database, migrations: readonly Migration[]): Promise<string | null> {
  const unfinished = await restoreProblem(database);
  if (unfinished !== null) return unfinished;
  const state = await compareSchema(database, migrations);
  const newer = newerSchemaProblem(state);
  if (newer !== null) return newer;
  if (state.pending.length === 0) return null;
  return `The database schema is older than this server (pending migrations: ${state.pending.join(", ")}): run ashlar migrate.`;
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

/** How the database schema differs from a list of migrations. */
interface SchemaState {
  readonly pending: readonly string[];
  readonly unknown: readonly AppliedMigration[];
}

interface AppliedMigration {
  readonly name: string;
  readonly only_expands: boolean;
}

export async function compareSchema(database: Database, migrations: readonly Migration[]): Promise<SchemaState> {
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

/**
 * Why a schema with unknown migrations cannot be used; null if there are none, or they only expand this version's schema. A schema that also lacks migrations
 * of this version was migrated by a different branch and is untested.
 */
function newerSchemaProblem({ pending, unknown }: SchemaState): string | null {
  const incompatible = unknown.find((migration) => !migration.only_expands) ?? (pending.length > 0 ? unknown[0] : undefined);
  return incompatible === undefined
    ? null
    : `The database schema is newer than this server (unknown migration: ${incompatible.name}): upgrade this server, or use another database.`;
}

export async function appliedMigrations(database: Queryable): Promise<readonly AppliedMigration[]> {
  const [lookup] = await database.query<{ exists: boolean }>("SELECT to_regclass($1) IS NOT NULL AS exists", [migrationTable]);
  if (lookup?.exists !== true) return [];
  // As JSON, because a database that was last migrated by an early version does not have the column.
  return database.query<AppliedMigration>(
    `SELECT name, coalesce((to_jsonb(m) ->> 'only_expands')::boolean, false) AS only_expands FROM ${migrationTable} m ORDER BY id`,
  );
}
